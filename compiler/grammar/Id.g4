// The grammar of the idc language: programs and schedules.
//
// Binary operators are loops rather than left recursion, so that a long chain costs no stack; associativity, the
// adjacency of the two characters of `>>`, and places where ranges and tuples may stand are settled while the tree is
// turned into the AST. Words that only schedules use stay ordinary names.
grammar Id;

program : item* EOF ;
typeOnly : type EOF ;
expressionOnly : expr EOF ;
functionOnly : name settings? EOF ;

item : importDecl | constDecl | typeDecl | function | schedule ;

importDecl : 'import' STRING ';' ;
constDecl : 'const' name '=' expr ';' ;
// `Eq<T>=` arrives with `>=` as one token.
typeDecl : 'type' name ( generics? '=' | '<' generic (',' generic)* '>=' ) '{' field (',' field)* ','? '}' ';' ;
field : name ':' type ;

function : kind=('func' | 'node' | 'algorithm') name generics? '(' (param (',' param)*)? ')' '->' result block ;
generics : '<' generic (',' generic)* '>' ;
generic : name ('=' type)? | name ':' parameterKind ('=' (additive | functionName))? ;
// int, real, bool, choice 0..4, or a function of these types.
parameterKind : name (additive '..' additive)? | kind=('func' | 'node') '(' (type (',' type)*)? ')' '->' result ;
// What a use binds by name: f<k = 3, T = f64>(x).
settings : '<' setting (',' setting)* '>' ;
setting : name '=' (additive | functionName | type) ;
functionName : name settings ;
param : name ':' type ;
result : type | '(' type (',' type)* ')' ;

type : baseType dimension* ;
baseType : 'mod' '<' additive '>'
         | 'complex' '<' type '>'
         | name ('<' type (',' type)* '>')? ;
dimension : '[' (name ':')? expr ']' ;

block : '{' statement* '}' ;
statement : 'let' pattern (':' type)? '=' expr ';'                                             # letStatement
          | pattern '=' expr ';'                                                              # assignment
          | name '[' expr ']' '=' expr ';'                                                    # elementAssignment
          | 'for' name 'in' additive ('..' | 'downto') additive ('by' additive)? block        # forStatement
          | 'if' expr block ('else' 'if' expr block)* ('else' block)?                         # ifStatement
          | 'require' expr ',' STRING ';'                                                     # requireStatement
          | 'return' expr ';'                                                                 # returnStatement
          ;
pattern : name | '(' name (',' name)* ')' ;

expr : logicalOr ('|>' stage)* ;
stage : stageName settings? arguments? ('^' exponent)? ('@' digitList)? ;
stageName : name | genericType | 'complex' ;
digitList : additive ('..' additive)? ;

logicalOr : logicalAnd ('||' logicalAnd)* ;
logicalAnd : comparison ('&&' comparison)* ;
comparison : bitOr (comparisonOperator bitOr)* ;
comparisonOperator : '==' | '!=' | '<' | '<=' | '>' | '>=' ;
bitOr : bitAnd ('|' bitAnd)* ;
bitAnd : shift ('&' shift)* ;
shift : additive (shiftOperator additive)* ;
shiftOperator : '<<' | '>' '>' ;
additive : multiplicative (additiveOperator multiplicative)* ;
additiveOperator : '+' | '-' ;
multiplicative : unary (multiplicativeOperator unary)* ;
multiplicativeOperator : '*' | '/' | '%' ;
unary : unaryOperator* power ;
unaryOperator : '-' | '!' | '~' ;
power : postfix ('^' exponent)* ;
exponent : '-'* postfix ;
postfix : primary suffix* ;
suffix : '.' name | '[' expr ']' ;

primary : INT                                                      # integer
        | REAL                                                     # real
        | ('true' | 'false')                                       # boolean
        | name '{' fieldValue (',' fieldValue)* ','? '}'           # record
        | name settings? arguments                                 # call
        | name                                                     # variable
        | 'complex' arguments                                      # complexCall
        | genericType arguments?                                   # typeCall
        | '(' element (',' element)* ')'                           # tuple
        | '[' (element (',' element)*)? ']'                        # array
        ;
genericType : 'mod' '<' additive '>' | 'complex' '<' type '>' ;
arguments : '(' (expr (',' expr)*)? ')' ;
fieldValue : name ':' expr ;
// A range is legal in digit lists only.
element : expr ('..' expr)? ;

// schedule f for sm_90 where n == 13 { with first = 5 kernel plain { load { .. } steps 1..5 { .. } store { .. } order [..] } }
schedule : 'schedule' name 'for' name ('plan' name)? ('where' expr)? '{' choices? kernel* measurement? '}' ;
choices : 'with' choice (',' choice)* ;
choice : name '=' '-'? INT ;
// What the schedule took when it was tried: copies of the program's data (plan throughput), or us (plan latency).
measurement : 'measured' (INT | REAL) name ;
kernel : 'kernel' launch '{' apartClause? (loadBlock | stepBlock)* storeBlock? orderClause? ringClause? '}' ;
// grid, or any of: cluster 4, team 256, persistent, dependent (digits::Launch).
launch : launchWord+ ;
launchWord : name ('-' name)? INT? ;
apartClause : 'apart' ;
loadBlock : 'load' (mapping | 'runs' INT | staged mapping?) ;
staged : 'staged' ;
stepBlock : 'steps' stepRange (',' stepRange)* mapping | 'join' stepRange (',' stepRange)* ;
stepRange : INT ('..' INT)? ;
storeBlock : 'store' (mapping | 'runs' INT | staged mapping?) ;
orderClause : 'order' '[' columns? ']' ;
ringClause : 'ring' INT 'delay' INT ;
mapping : '{' mappingField* '}' ;
mappingField : name '(' columns? ')' ;
columns : column (','? column)* ;
column : INT ('..' INT)? | '(' INT ('^' INT)* ')' | name (':' INT)? ;

name : NAME | 'schedule' | 'where' | 'kernel' | 'load' | 'steps' | 'store' | 'order' | 'ring' | 'delay' | 'by' | 'plan' | 'measured'
     | 'apart' | 'join' | 'runs' | 'staged' | 'with' ;

DOC : '///' ~[\r\n]* -> channel(HIDDEN) ;
LINE_COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
BLOCK_COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;
OPEN_COMMENT : '/*' ;
SPACE : [ \t\r\n]+ -> skip ;
STRING : '"' ~["\r\n]* '"' ;
OPEN_STRING : '"' ~["\r\n]* ;
REAL : [0-9]+ ('.' [0-9]+)? [eE] [+-]? [0-9]+ | [0-9]+ '.' [0-9]+ ;
INT : [0-9]+ ;
// Greek capital gamma and small rho are the papers' spellings of unshuffle and reverse.
NAME : [a-zA-Z_] [a-zA-Z0-9_]* | '\u0393' | '\u03C1' ;
OTHER : . ;
