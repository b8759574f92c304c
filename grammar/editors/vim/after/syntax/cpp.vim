" Blocks of stencils inside of C, C++ and CUDA: `#pragma dsl begin` to `#pragma dsl end`.

let s:current = get(b:, "current_syntax", "c")
unlet! b:current_syntax
syntax include @idsl syntax/idsl.vim
let b:current_syntax = s:current
unlet s:current

syntax region idslBlock matchgroup=PreProc
      \ start="^\s*#\s*pragma\s\+dsl\s\+begin\>.*$" end="^\s*#\s*pragma\s\+dsl\s\+end\>.*$"
      \ keepend contains=@idsl containedin=cBlock,cParen,cCurlyErr
