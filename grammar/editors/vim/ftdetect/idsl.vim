autocmd BufRead,BufNewFile *.idsl setfiletype idsl
