// The syntax of `.idsl` programs; README.md explains it with examples.
//
// Every choice is made from the next token or two, and chains of operators are flat lists: parsing
// time and stack use do not depend on how long an expression is. What binds tighter than what is
// decided where the tree is built, from the one precedence table that the printer uses too.
// Some rules take a little more than the language has (a call inside a stencil, say):
// the compiler then says what is wrong better than a parser could.
grammar Idsl;

program : item* EOF ;

item
  : KW_PARAMETER parameter (COMMA parameter)* COMMA? SEMI   # parameterSection
  | KW_ITERATOR name (COMMA name)* COMMA? SEMI              # iteratorSection
  | declaration                                             # declarationSection
  | kind=(KW_COPYIN | KW_COPYOUT | KW_ALLOCIN | KW_CONSTANT | KW_COEFFICIENT)
    name (COMMA name)* COMMA? SEMI                          # listSection
  | KW_BOUNDARY boundary (COMMA boundary)* COMMA? SEMI      # boundarySection
  | unroll                                                  # unrollSection
  | stencil                                                 # stencilDefinition
  | callItem                                                # callSection
  ;

parameter : name (ASSIGN expr)? ;

boundary : name ASSIGN (boundaryMode | LBRACKET boundaryMode (COMMA boundaryMode)* RBRACKET) ;
boundaryMode : kind=(ID | KW_CONSTANT) (LPAREN expr RPAREN)? ;

declaration
  : (type=(KW_DOUBLE | KW_FLOAT | KW_INT | KW_BOOL | KW_NARROW)
    | KW_COMPLEX type=(KW_DOUBLE | KW_FLOAT | KW_INT | KW_BOOL | KW_NARROW)?)
    declarator (COMMA declarator)* COMMA? SEMI
  ;
declarator : name subscript* (ASSIGN expr)? ;

unroll : KW_UNROLL unrollFactor (COMMA unrollFactor)* COMMA? SEMI ;
unrollFactor : name ASSIGN expr ;

stencil
  : (KW_STENCIL | KW_FUNCTION) name LPAREN (formal (COMMA formal)*)? RPAREN
    LBRACE stencilItem* RBRACE
  ;
// The qualifier is `inout`.
formal : (qualifier=ID COLON)? name ;

stencilItem
  : declaration                                             # localDeclaration
  | kind=(KW_SHMEM | KW_GMEM | KW_NO_SHMEM) name (COMMA name)* COMMA? SEMI   # placement
  | unroll                                                  # stencilUnroll
  | statement                                               # stencilStatement
  | SEMI                                                    # emptyItem
  ;

// At program level and in `iterate`. An assignment there is a stencil of its own, and its call.
callItem
  // Before a colon stands the name of the turn.
  : KW_ITERATE (LBRACKET expr RBRACKET | expr) (COLON (LBRACKET expr RBRACKET | expr))?
    until? LBRACE callItem* RBRACE                                       # iterate
  | KW_SWAP name COMMA name SEMI                                         # swap
  | KW_EVERY (INTEGER | name) COLON (LBRACE callItem* RBRACE | callItem) # every
  | statement                                                            # callStatement
  | SEMI                                                                 # emptyCall
  ;

until : KW_UNTIL expr (KW_EVERY (LBRACKET expr RBRACKET | expr))? ;

statement : (domain COLON)? name action SEMI ;
action
  : arguments                                               # callAction
  | subscript* op=(ASSIGN | PLUS_ASSIGN | MINUS_ASSIGN | STAR_ASSIGN | SLASH_ASSIGN | AND_ASSIGN
    | OR_ASSIGN) expr                                       # assignAction
  ;

domain : (LBRACKET range (COMMA range)* RBRACKET)+ ;
range : expr (COLON | DOTDOT) expr ;

arguments : LPAREN (expr (COMMA expr)*)? RPAREN ;
subscript : LBRACKET expr (COMMA expr)* RBRACKET ;

// Chained conditionals associate to the right.
expr : operation (QUESTION expr COLON operation)* ;
// From loosest to tightest, each level left to right: || && | & (== !=) (< <= > >=) (+ -) (* / %).
operation
  : factor ((OR_OR | AND_AND | OR | AND | EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER
    | GREATER_EQUAL | PLUS | MINUS | STAR | SLASH | PERCENT) factor)*
  ;
// `^` is the power: it binds tighter than a sign on its left and associates to the right, and its
// exponent may carry signs: -a^2 is -(a^2), 2^-1 is 2^(-1).
factor : (MINUS | PLUS | NOT)* primary (CARET exponent)* ;
exponent : (MINUS | PLUS | NOT)* primary ;

primary
  : name (arguments | subscript+)?
  | INTEGER
  | FLOATING
  | IMAGINARY
  | LPAREN expr RPAREN
  ;

// The words of our extensions stay usable as names: published programs have a stencil `boundary`.
name : ID | KW_BOUNDARY | KW_SWAP | KW_UNROLL | KW_UNTIL | KW_EVERY | KW_NARROW
  | KW_COMPLEX ;

KW_PARAMETER : 'parameter' ;
KW_ITERATOR : 'iterator' ;
KW_DOUBLE : 'double' ;
KW_FLOAT : 'float' ;
KW_INT : 'int' ;
KW_BOOL : 'bool' ;
KW_COPYIN : 'copyin' ;
KW_COPYOUT : 'copyout' ;
KW_ALLOCIN : 'allocin' ;
KW_CONSTANT : 'constant' ;
KW_COEFFICIENT : 'coefficient' ;
KW_BOUNDARY : 'boundary' ;
KW_UNROLL : 'unroll' ;
KW_STENCIL : 'stencil' ;
KW_FUNCTION : 'function' ;
KW_SHMEM : 'shmem' ;
KW_GMEM : 'gmem' ;
KW_NO_SHMEM : 'no-shmem' ;
KW_ITERATE : 'iterate' ;
KW_SWAP : 'swap' ;
KW_UNTIL : 'until' ;
KW_EVERY : 'every' ;
// A pair of numbers.
KW_COMPLEX : 'complex' ;
// Types of elements in memory.
KW_NARROW : 'half' | 'bfloat16' | 'int8' | 'uint8' | 'int16' | 'uint16' ;

LPAREN : '(' ;
RPAREN : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
COMMA : ',' ;
SEMI : ';' ;
COLON : ':' ;
DOTDOT : '..' ;
QUESTION : '?' ;
ASSIGN : '=' ;
PLUS_ASSIGN : '+=' ;
MINUS_ASSIGN : '-=' ;
STAR_ASSIGN : '*=' ;
SLASH_ASSIGN : '/=' ;
AND_ASSIGN : '&=' ;
OR_ASSIGN : '|=' ;
OR_OR : '||' ;
AND_AND : '&&' ;
OR : '|' ;
AND : '&' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
LESS : '<' ;
LESS_EQUAL : '<=' ;
GREATER : '>' ;
GREATER_EQUAL : '>=' ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
CARET : '^' ;
NOT : '!' ;

ID : [A-Za-z_] [A-Za-z_0-9]* ;
INTEGER : DIGITS ;
FLOATING : REAL 'f'? | DIGITS 'f' ;
IMAGINARY : (REAL | DIGITS) 'f'? 'i' ;
// The start of a range such as `0..9`; the scanner hands it on as INTEGER and DOTDOT, since
// otherwise `0.` would be taken for a number.
INTEGER_DOTDOT : DIGITS '..' ;
fragment REAL : DIGITS '.' DIGITS? EXPONENT? | '.' DIGITS EXPONENT? | DIGITS EXPONENT ;
fragment DIGITS : [0-9]+ ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;

SPACE : [ \t\r\n\f\u000B]+ -> skip ;
LINE_COMMENT : '//' ~[\r\n]* -> skip ;
BLOCK_COMMENT : '/*' .*? '*/' -> skip ;
// Anything else, so that the scanner never stops.
UNKNOWN : . ;
