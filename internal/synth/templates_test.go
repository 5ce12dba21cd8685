package synth

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
)

// modelNames are the fields and methods of the model that templates see.
var modelNames = strings.Fields(`
	Files Scalars
	Name Description Package HasEnums HasExtensions HasMessages HasServices Enums Extensions Messages Services Options Option
	LongName FullName HasFields HasOneofs Fields FieldOptions FieldsWithOption
	Label Type LongType FullType IsMap IsOneof OneofDecl DefaultValue
	Number ContainingType ContainingLongType ContainingFullType FileExtension ScopeType ScopeLongType ScopeFullType
	Values ValueOptions ValuesWithOption Methods MethodOptions MethodsWithOption
	RequestType RequestLongType RequestFullType RequestStreaming ResponseType ResponseLongType ResponseFullType ResponseStreaming
	ProtoType Notes CppType CSharp GoType JavaType PhpType PythonType RubyType
	Rules Method Pattern Body Value Len`)

// functionNames are the functions that a template can call: pgd's own, those
// of sprig v2.15.0, those of text/template.
var functionNames = strings.Fields(`
	p para nobr anchor

	hello date date_in_zone date_modify now htmlDate htmlDateInZone dateInZone dateModify ago toDate
	abbrev abbrevboth trunc trim upper lower title untitle substr repeat trimall trimAll trimSuffix trimPrefix nospace initials
	randAlphaNum randAlpha randAscii randNumeric swapcase shuffle snakecase camelcase wrap wrapWith contains hasPrefix hasSuffix
	quote squote cat indent nindent replace plural sha1sum sha256sum toString
	atoi int64 int float64 split splitList toStrings until untilStep
	add1 add sub div mod mul biggest max min ceil floor round join sortAlpha
	default empty coalesce compact toJson toPrettyJson ternary typeOf typeIs typeIsLike kindOf kindIs env expandenv
	base dir clean ext isAbs b64enc b64dec b32enc b32dec
	tuple list dict set unset hasKey pluck keys pick omit merge append push prepend first rest last initial reverse uniq without has
	genPrivateKey derivePassword buildCustomCert genCA genSelfSignedCert genSignedCert uuidv4 semver semverCompare fail
	regexMatch regexFindAll regexFind regexReplaceAll regexReplaceAllLiteral regexSplit

	and call html index slice js len not or print printf println urlquery eq ge gt le lt ne`)

// notCalled are the functions whose result is not a function of the arguments,
// or that have nothing to be called with.
var notCalled = strings.Fields(`
	now ago env expandenv randAlphaNum randAlpha randAscii randNumeric shuffle uuidv4
	genPrivateKey genCA genSelfSignedCert genSignedCert buildCustomCert call`)

func TestEverythingTemplate(t *testing.T) {
	fields, _ := namesIn(t, "testdata/everything.tmpl")
	for _, name := range modelNames {
		if !slices.Contains(fields, name) {
			t.Errorf("%s is not printed", name)
		}
	}
}

func TestFunctionsTemplate(t *testing.T) {
	_, functions := namesIn(t, "testdata/functions.tmpl")
	for _, name := range functionNames {
		if called := slices.Contains(functions, name); called == slices.Contains(notCalled, name) {
			t.Errorf("%s: called is %v", name, called)
		}
	}
}

func TestTemplatesUseOnlyWhatThereIs(t *testing.T) {
	for _, name := range []string{"everything", "functions", "versions", "reference"} {
		fields, functions := namesIn(t, "testdata/"+name+".tmpl")
		for _, f := range functions {
			if !slices.Contains(functionNames, f) {
				t.Errorf("%s.tmpl calls %s", name, f)
			}
		}
		// The templates of functions read values of their own making too.
		for _, f := range fields {
			if name == "reference" && !slices.Contains(modelNames, f) {
				t.Errorf("%s.tmpl reads %s", name, f)
			}
		}
	}
}

// namesIn lists the fields and the functions that a template names.
func namesIn(t *testing.T, path string) (fields, functions []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]*parse.Tree{}
	tree := parse.New(path)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(string(text), "", "", trees); err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		eachNode(reflect.ValueOf(tree.Root), func(n any) {
			switch n := n.(type) {
			case *parse.IdentifierNode:
				functions = append(functions, n.Ident)
			case *parse.FieldNode:
				fields = append(fields, n.Ident...)
			case *parse.ChainNode:
				fields = append(fields, n.Field...)
			case *parse.VariableNode:
				fields = append(fields, n.Ident[1:]...)
			}
		})
	}
	return fields, functions
}

// eachNode visits a parse tree by reflection: every node is a struct whose
// exported fields hold the nodes below it.
func eachNode(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		eachNode(v.Elem(), visit)
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Interface())
			eachNode(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachNode(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachNode(v.Field(i), visit)
			}
		}
	}
}
