" Vim syntax file
" Language: stencil programs (.idsl)
" Included for blocks inside of C and C++ too: see after/syntax/cpp.vim.

if exists("b:current_syntax")
  finish
endif

syntax case match

syntax match   idslOperator    "[-+*/%^=<>!&|?:]"
syntax match   idslName        "\<\h\w*\>"
syntax match   idslCall        "\<\h\w*\>\ze\s*("
syntax keyword idslFunction    min max abs fabs sqrt cbrt pow exp exp2 log log2 log10
syntax keyword idslFunction    sin cos tan asin acos atan atan2 sinh cosh tanh
syntax keyword idslFunction    floor ceil round trunc fmod fma hypot erf round_half round_bfloat16 sum norm2 any all
syntax keyword idslFunction    real imag conj abs2 arg
syntax keyword idslType        double float int bool complex half bfloat16 int8 uint8 int16 uint16
syntax keyword idslSection     parameter iterator copyin copyout allocin constant coefficient
syntax keyword idslSection     boundary unroll
syntax keyword idslStencil     stencil function
syntax keyword idslPlacement   shmem gmem inout
syntax match   idslPlacement   "\<no-shmem\>"
syntax keyword idslControl     iterate until every swap
syntax keyword idslMode        clamp mirror mirror101 wrap periodic extrapolate none

syntax match   idslNumber      "\<\d\+\>"
syntax match   idslFloat       "\<\d\+\.\%(\.\)\@!\d*\%([eE][-+]\=\d\+\)\=f\=i\="
syntax match   idslFloat       "\.\d\+\%([eE][-+]\=\d\+\)\=f\=i\="
syntax match   idslFloat       "\<\d\+\%([eE][-+]\=\d\+f\=i\=\|fi\=\|i\)\>"

syntax keyword idslTodo        contained TODO FIXME
syntax match   idslComment     "//.*$" contains=idslTodo,@Spell
syntax region  idslComment     start="/\*" end="\*/" contains=idslTodo,@Spell

highlight default link idslOperator  Operator
highlight default link idslCall      Function
highlight default link idslFunction  Function
highlight default link idslType      Type
highlight default link idslSection   Keyword
highlight default link idslStencil   Structure
highlight default link idslPlacement StorageClass
highlight default link idslControl   Repeat
highlight default link idslMode      Constant
highlight default link idslNumber    Number
highlight default link idslFloat     Float
highlight default link idslTodo      Todo
highlight default link idslComment   Comment

let b:current_syntax = "idsl"
