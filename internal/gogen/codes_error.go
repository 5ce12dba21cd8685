package gogen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
)

// codeError is the Go error around an API's own error message.
type codeError struct {
	table   *codes.Table
	message *protogen.Message

	typ, from, of, classify, create           string
	domain, grpcCode, reason, clean, firstURL string
}

func newCodeError(k *kit, t *codes.Table) *codeError {
	e := &codeError{table: t, message: k.tables.messages[t.Error.Message.FullName]}
	base := errorName(nameOf(e.message.GoIdent))
	private := lowerFirst(base)
	n := k.names
	e.typ, e.create, e.of, e.from = n.claim(base), n.claim("New"+base), n.claim(base+"Of"), n.claim(base+"From")
	e.domain, e.grpcCode, e.reason = n.claim(private+"Domain"), n.claim(private+"GRPCCode"), n.claim(private+"Reason")
	e.clean = n.claim(private + "Clean")
	if t.Fallback != nil {
		e.classify = n.claim("Classify" + base)
	}
	if t.Error.Suggestions != nil {
		e.firstURL = n.claim(private + "URL")
	}
	return e
}

// errorName names the error after the message: DiskErr, DiskError
// and Disk all give DiskError.
func errorName(base string) string {
	for _, end := range []string{"Error", "Err"} {
		if stem := strings.TrimSuffix(base, end); stem != "" && stem != base {
			return stem + "Error"
		}
	}
	if base == "Error" || base == "Err" {
		return "Error"
	}
	return base + "Error"
}

func (e *codeError) deprecated() bool {
	m := e.table.Error.Message
	fields := []*api.Field{e.table.Error.Code, e.table.Error.Text}
	if s := e.table.Error.Suggestions; s != nil {
		fields = append(fields, s, e.table.Error.SuggestionCode, e.table.Error.SuggestionText)
	}
	for _, f := range fields {
		if f.Desc.GetOptions().GetDeprecated() || f.Parent.Desc.GetOptions().GetDeprecated() {
			return true
		}
	}
	return m.Desc.GetOptions().GetDeprecated() || m.File.Desc.GetOptions().GetDeprecated()
}

// errorWriter writes one error.
type errorWriter struct {
	*codesFile
	e                               *codeError
	t                               *codeTable
	code, text, list                *protogen.Field
	suggestionCode, suggestionText  *protogen.Field
	codeGo, kitSuggestion, sentinel string
}

func (f *codesFile) error(e *codeError) {
	t := f.kit.codeTable(e.table)
	w := &errorWriter{
		codesFile: f, e: e, t: t,
		code:     findField(e.message, e.table.Error.Code),
		text:     findField(e.message, e.table.Error.Text),
		codeGo:   f.QualifiedGoIdent(t.enum.GoIdent),
		sentinel: f.name(t, t.errorType),
	}
	if s := e.table.Error.Suggestions; s != nil {
		w.list = findField(e.message, s)
		w.suggestionCode = findField(w.list.Message, e.table.Error.SuggestionCode)
		w.suggestionText = findField(w.list.Message, e.table.Error.SuggestionText)
		w.kitSuggestion = f.name(t, t.suggestionType)
	}
	w.declaration()
	w.create()
	w.find()
	w.methods()
	w.status()
	w.helpers()
}

func (w *errorWriter) declaration() {
	w.doc(w.e.typ+" is the API's own error message, "+w.e.table.Error.Message.FullName+", as a Go error. It travels as a gRPC status and is found again by "+w.e.from+".",
		paragraphs(w.e.table.Error.Message.Comments)...)
	w.P("type ", w.e.typ, " struct {")
	w.P("message *", w.e.message.GoIdent)
	w.P("cause error")
	w.P("}")
	w.P()
}

func (w *errorWriter) create() {
	if w.list != nil {
		w.doc(w.e.create + " returns an error with a code. Its text is that of its cause, or without a cause the description of the code. " +
			"Its suggestions are those given, or without any all that the code has.")
		w.Pv("func ", w.e.create, "($code ", w.codeGo, ", $cause error, $suggestions ...", w.kitSuggestion, ") *", w.e.typ, " {")
	} else {
		w.doc(w.e.create + " returns an error with a code. Its text is that of its cause, or without a cause the description of the code.")
		w.Pv("func ", w.e.create, "($code ", w.codeGo, ", $cause error) *", w.e.typ, " {")
	}
	w.Pv("$text := $cause")
	w.Pv("if $text == nil {")
	w.Pv("$text = ", w.sentinel, "($code)")
	w.Pv("}")
	w.Pv("$message := new(", w.e.message.GoIdent, ")")
	w.assign("$message", w.code, "$code")
	w.assign("$message", w.text, w.validUTF8("$text.Error()"))
	if w.list != nil {
		w.Pv("if len($suggestions) == 0 {")
		w.Pv("$suggestions = ", slicesPackage.Ident("Collect"), "(", w.name(w.t, w.t.suggestionsOf), "($code))")
		w.Pv("}")
		w.Pv("$list := make([]*", w.list.Message.GoIdent, ", len($suggestions))")
		w.Pv("for $i, $s := range $suggestions {")
		w.Pv("$list[$i] = new(", w.list.Message.GoIdent, ")")
		w.assign("$list[$i]", w.suggestionCode, "$s.Code")
		w.assign("$list[$i]", w.suggestionText, "$s.Action")
		w.Pv("}")
		w.assign("$message", w.list, "$list")
	}
	w.Pv("return &", w.e.typ, "{message: $message, cause: $cause}")
	w.Pv("}")
	w.P()
	w.doc(w.e.of + " returns the error that a message describes. The message is not to be changed afterwards.")
	w.Pv("func ", w.e.of, "($message *", w.e.message.GoIdent, ") *", w.e.typ, " { return &", w.e.typ, "{message: $message} }")
	w.P()
	if w.e.classify != "" {
		w.classifyError()
	}
}

func (w *errorWriter) classifyError() {
	phase, arg := "", ""
	if len(w.t.Phases) > 0 {
		phase, arg = "$phase "+w.name(w.t, w.t.phaseType)+", ", "$phase, "
	}
	w.doc(w.e.classify + " returns the " + w.e.typ + " that err is or wraps, else a new one around err with the code and the suggestions of " + w.t.classify + ". " +
		"It is nil for a nil error: compare it with nil before it becomes an error, since an error that holds a nil *" + w.e.typ + " is not nil.")
	w.Pv("func ", w.e.classify, "(", phase, "$err error) *", w.e.typ, " {")
	w.Pv("if $err == nil {")
	w.Pv("return nil")
	w.Pv("}")
	w.Pv("if $known, $ok := ", w.e.from, "($err); $ok {")
	w.Pv("return $known")
	w.Pv("}")
	switch {
	case w.t.Suggestions == nil:
		w.Pv("return ", w.e.create, "(", w.name(w.t, w.t.classify), "(", arg, "$err), $err)")
	case w.list == nil:
		w.Pv("$code, _ := ", w.name(w.t, w.t.classify), "(", arg, "$err)")
		w.Pv("return ", w.e.create, "($code, $err)")
	default:
		w.Pv("$code, $suggestions := ", w.name(w.t, w.t.classify), "(", arg, "$err)")
		w.Pv("return ", w.e.create, "($code, $err, ", slicesPackage.Ident("Collect"), "($suggestions)...)")
	}
	w.Pv("}")
	w.P()
}

// assign sets a field in the way of the message's API.
func (w *errorWriter) assign(message string, field *protogen.Field, value string) {
	if field.Parent.APILevel != gofeaturespb.GoFeatures_API_OPEN {
		setter, _ := field.MethodName("Set")
		w.Pv(message, ".", setter, "(", value, ")")
		return
	}
	name := field.GoName
	switch oneof := field.Oneof; {
	case oneof != nil && !oneof.Desc.IsSynthetic():
		name, value = oneof.GoName, "&"+w.QualifiedGoIdent(field.GoIdent)+"{"+field.GoName+": "+value+"}"
	case field.Desc.IsList() || !field.Desc.HasPresence():
	case field.Enum != nil:
		value += ".Enum()"
	default:
		value = w.QualifiedGoIdent(protoPackage.Ident("String")) + "(" + value + ")"
	}
	w.Pv(message, ".", name, " = ", value)
}

func get(field *protogen.Field) string {
	getter, _ := field.MethodName("Get")
	return getter + "()"
}

func (w *errorWriter) find() {
	w.doc(w.e.from + " finds the " + w.e.typ + " that err is or wraps, or that a gRPC status in err was made from. " +
		"A status without the API's own message, but with its ErrorInfo, gives one with the code and the text alone.")
	w.Pv("func ", w.e.from, "($err error) (*", w.e.typ, ", bool) {")
	w.Pv("var $known *", w.e.typ)
	w.Pv("if ", errorsPackage.Ident("As"), "($err, &$known) && $known != nil {")
	w.Pv("return $known, true")
	w.Pv("}")
	w.Pv("$received, _ := ", grpcStatusPackage.Ident("FromError"), "($err)")
	w.Pv("for _, $detail := range $received.Details() {")
	w.Pv("if $message, $ok := $detail.(*", w.e.message.GoIdent, "); $ok {")
	w.Pv("return &", w.e.typ, "{message: $message, cause: $err}, true")
	w.Pv("}")
	w.Pv("}")
	w.Pv("for _, $detail := range $received.Details() {")
	w.Pv("$info, $ok := $detail.(*", errdetailsPackage.Ident("ErrorInfo"), ")")
	w.Pv("if !$ok || $info.GetDomain() != ", w.e.domain, " {")
	w.Pv("continue")
	w.Pv("}")
	w.Pv("$number, $bad := ", strconvPackage.Ident("ParseInt"), `($info.GetMetadata()["number"], 10, 32)`)
	w.Pv("if $bad != nil {")
	w.Pv("continue")
	w.Pv("}")
	w.Pv("$message := new(", w.e.message.GoIdent, ")")
	w.assign("$message", w.code, w.codeGo+"($number)")
	w.assign("$message", w.text, "$received.Message()")
	w.Pv("return &", w.e.typ, "{message: $message, cause: $err}, true")
	w.Pv("}")
	w.Pv("return nil, false")
	w.Pv("}")
	w.P()
}

func (w *errorWriter) methods() {
	w.doc("Error returns the text of the message, or without one that of the code.")
	w.Pv("func ($e *", w.e.typ, ") Error() string {")
	w.Pv("if $e == nil {")
	w.Pv(`return "<nil>"`)
	w.Pv("}")
	w.Pv("if $text := $e.message.", get(w.text), `; $text != "" {`)
	w.Pv("return $text")
	w.Pv("}")
	w.Pv("return ", w.sentinel, "($e.Code()).Error()")
	w.Pv("}")
	w.P()
	w.doc("Unwrap returns the cause, if there is one.")
	w.Pv("func ($e *", w.e.typ, ") Unwrap() error {")
	w.Pv("if $e == nil {")
	w.Pv("return nil")
	w.Pv("}")
	w.Pv("return $e.cause")
	w.Pv("}")
	w.P()
	w.doc("Is tells whether target is the " + w.t.errorType + " of the same code.")
	w.Pv("func ($e *", w.e.typ, ") Is(target error) bool { return $e != nil && target == ", w.sentinel, "($e.Code()) }")
	w.P()
	w.doc("Code returns the code.")
	w.Pv("func ($e *", w.e.typ, ") Code() ", w.codeGo, " { return $e.Proto().", get(w.code), " }")
	w.P()
	if w.list != nil {
		w.doc("Suggestions goes through what a user can do, each a code with the action in words.")
		w.Pv("func ($e *", w.e.typ, ") Suggestions() ", iterPackage.Ident("Seq2"), "[", w.t.suggestions.GoIdent, ", string] {")
		w.Pv("return func($yield func(", w.t.suggestions.GoIdent, ", string) bool) {")
		w.Pv("for _, $s := range $e.Proto().", get(w.list), " {")
		w.Pv("if !$yield($s.", get(w.suggestionCode), ", $s.", get(w.suggestionText), ") {")
		w.Pv("return")
		w.Pv("}")
		w.Pv("}")
		w.Pv("}")
		w.Pv("}")
		w.P()
	}
	w.doc("Proto returns the message, which is not to be changed.")
	w.Pv("func ($e *", w.e.typ, ") Proto() *", w.e.message.GoIdent, " {")
	w.Pv("if $e == nil {")
	w.Pv("return nil")
	w.Pv("}")
	w.Pv("return $e.message")
	w.Pv("}")
	w.P()
}

func (w *errorWriter) status() {
	w.doc("GRPCStatus is how gRPC sends the error: a status with the gRPC code of the class, an ErrorInfo" +
		whereSuggested(w, ", the suggestions as Help") + " and the message itself. What is not UTF-8 in its texts is replaced.")
	w.Pv("func ($e *", w.e.typ, ") GRPCStatus() *", grpcStatusPackage.Ident("Status"), " {")
	w.Pv("if $e == nil {")
	w.Pv("return nil")
	w.Pv("}")
	w.Pv("$info, $known := ", w.name(w.t, w.t.infoOf), "($e.Code())")
	class := ""
	if len(w.t.Classes) > 0 {
		class = "$info.Class"
	}
	w.Pv("$plain := ", grpcStatusPackage.Ident("New"), "(", w.e.grpcCode, "(", class, "), ", w.validUTF8("$e.Error()"), ")")
	w.Pv("$details := []", protoadaptPackage.Ident("MessageV1"), "{&", errdetailsPackage.Ident("ErrorInfo"), "{")
	w.Pv("Reason: ", w.e.reason, "($info, $known),")
	w.Pv("Domain: ", w.e.domain, ",")
	w.Pv("Metadata: map[string]string{")
	w.Pv(`"number": `, strconvPackage.Ident("Itoa"), "(int($info.Number)),")
	if len(w.t.Phases) > 0 {
		w.Pv(`"phase": $info.Phase.String(),`)
	}
	if len(w.t.Classes) > 0 {
		w.Pv(`"class": $info.Class.String(),`)
	}
	w.Pv("},")
	w.Pv("}}")
	if w.list != nil {
		w.Pv("$help := new(", errdetailsPackage.Ident("Help"), ")")
		w.Pv("for _, $action := range $e.Suggestions() {")
		w.Pv("$action = ", w.validUTF8("$action"))
		w.Pv("$help.Links = append($help.Links, &", errdetailsPackage.Ident("Help_Link"), "{Description: $action, Url: ", w.e.firstURL, "($action)})")
		w.Pv("}")
		w.Pv("if len($help.Links) > 0 {")
		w.Pv("$details = append($details, $help)")
		w.Pv("}")
	}
	w.Pv("$detailed, $err := $plain.WithDetails(append($details, $e.message)...)")
	w.Pv("if $err != nil { // the message has text that is not UTF-8, and cannot be sent as it is")
	w.Pv("$detailed, $err = $plain.WithDetails(append($details, ", w.e.clean, "($e.message))...)")
	w.Pv("}")
	w.Pv("if $err != nil { // it cannot be sent at all: the rest says the most of it")
	w.Pv("$detailed, $err = $plain.WithDetails($details...)")
	w.Pv("}")
	w.Pv("if $err != nil {")
	w.Pv("return $plain")
	w.Pv("}")
	w.Pv("return $detailed")
	w.Pv("}")
	w.P()
}

// validUTF8 is a text with what is not UTF-8 replaced.
func (w *errorWriter) validUTF8(text string) string {
	return w.QualifiedGoIdent(stringsPackage.Ident("ToValidUTF8")) + "(" + text + `, "\uFFFD")`
}

// cleaner writes the copy of a message whose texts can be sent.
func (w *errorWriter) cleaner() {
	w.doc(w.e.clean + " returns a copy of a message with what is not UTF-8 in its texts replaced.")
	w.Pv("func ", w.e.clean, "($message *", w.e.message.GoIdent, ") *", w.e.message.GoIdent, " {")
	w.Pv("$message = ", protoPackage.Ident("Clone"), "($message).(*", w.e.message.GoIdent, ")")
	w.replaceText("$message", w.text)
	if w.list != nil {
		w.Pv("for _, $s := range $message.", get(w.list), " {")
		w.replaceText("$s", w.suggestionText)
		w.Pv("}")
	}
	w.Pv("return $message")
	w.Pv("}")
	w.P()
}

func (w *errorWriter) replaceText(message string, field *protogen.Field) {
	w.Pv("if $text := ", w.validUTF8(message+"."+get(field)), "; $text != ", message, ".", get(field), " {")
	w.assign(message, field, "$text")
	w.Pv("}")
}

func whereSuggested(w *errorWriter, text string) string {
	if w.list == nil {
		return ""
	}
	return text
}

func (w *errorWriter) helpers() {
	w.doc(w.e.domain + " is the domain of the reasons in an ErrorInfo.")
	w.P("const ", w.e.domain, " = ", strconv.Quote(w.e.table.Error.Domain))
	w.P()
	w.grpcCodeOf()
	w.reasonOf()
	w.cleaner()
	if w.list != nil {
		w.doc(w.e.firstURL + " returns the first link in a text; empty if there is none.")
		w.Pv("func ", w.e.firstURL, "($text string) string {")
		w.Pv(`_, $url, $ok := `, stringsPackage.Ident("Cut"), `($text, "https://")`)
		w.Pv("if !$ok {")
		w.Pv(`return ""`)
		w.Pv("}")
		w.Pv("if $end := ", stringsPackage.Ident("IndexAny"), "($url, \" \\t\\n\\\"'`<>\"); $end >= 0 {")
		w.Pv("$url = $url[:$end]")
		w.Pv("}")
		w.Pv(`return "https://" + `, stringsPackage.Ident("TrimRight"), `($url, ".,;:)")`)
		w.Pv("}")
		w.P()
	}
}

func (w *errorWriter) grpcCodeOf() {
	unknown := w.QualifiedGoIdent(grpcCodesPackage.Ident("Unknown"))
	if len(w.t.Classes) == 0 {
		w.doc(w.e.grpcCode + " is the gRPC code of all errors: their codes have no classes.")
		w.Pv("func ", w.e.grpcCode, "() ", grpcCodesPackage.Ident("Code"), " { return ", unknown, " }")
		w.P()
		return
	}
	w.doc(w.e.grpcCode + " returns the gRPC code of errors of a class.")
	w.Pv("func ", w.e.grpcCode, "($class ", w.name(w.t, w.t.classType), ") ", grpcCodesPackage.Ident("Code"), " {")
	w.Pv("switch $class {")
	for _, c := range w.t.Classes {
		if c.GRPC != "" && c.GRPC != "UNKNOWN" {
			w.Pv("case ", w.name(w.t, w.t.classes[c]), ":")
			w.Pv("return ", grpcCodesPackage.Ident(grpcIdent(c.GRPC)))
		}
	}
	w.Pv("}")
	w.Pv("return ", unknown)
	w.Pv("}")
	w.P()
}

// grpcIdent is the Go name of a gRPC code.
func grpcIdent(name string) string {
	if name == "CANCELLED" {
		return "Canceled"
	}
	ident := ""
	for word := range strings.SplitSeq(name, "_") {
		ident += word[:1] + strings.ToLower(word[1:])
	}
	return ident
}

func (w *errorWriter) reasonOf() {
	w.doc(w.e.reason + " returns the name of a code in the form that google.aip.dev/193 asks for.")
	w.Pv("func ", w.e.reason, "($info *", w.name(w.t, w.t.infoType), ", $known bool) string {")
	w.Pv("if !$known {")
	w.Pv("return ", stringsPackage.Ident("ReplaceAll"), `("CODE_"+$info.Name, "-", "MINUS_")`)
	w.Pv("}")
	if exceptions := reasons(w.e.table.Codes); len(exceptions) > 0 {
		w.Pv("switch $info.Code {")
		for _, e := range exceptions {
			w.Pv("case ", w.value(w.t.enum, e.code.Value), ":")
			w.P("return ", strconv.Quote(e.reason))
		}
		w.Pv("}")
	}
	w.Pv("return $info.Name")
	w.Pv("}")
	w.P()
}

type reasonException struct {
	code   *codes.Code
	reason string
}

// reasonSyntax is AIP-193's; reasons have maxReason characters at most.
var reasonSyntax = regexp.MustCompile(`^[A-Z][A-Z0-9_]+[A-Z0-9]$`)

const maxReason = 63

// reasons are those that are not the names of their codes. Names that become the
// same get their numbers at the end.
func reasons(list []*codes.Code) []reasonException {
	taken := make(map[string]bool)
	for _, c := range list {
		if fits(c.Value.Name) {
			taken[c.Value.Name] = true
		}
	}
	var exceptions []reasonException
	for _, c := range list {
		if fits(c.Value.Name) {
			continue
		}
		reason := fit(c.Value.Name, "")
		if taken[reason] {
			reason = fit(c.Value.Name, strings.ReplaceAll(fmt.Sprintf("_%d", c.Number()), "-", "MINUS_"))
		}
		taken[reason] = true
		exceptions = append(exceptions, reasonException{c, reason})
	}
	return exceptions
}

func fits(name string) bool { return len(name) <= maxReason && reasonSyntax.MatchString(name) }

// fit makes a reason of a name, with an ending that is kept whole.
func fit(name, ending string) string {
	name = strings.ToUpper(name)
	if first := name[0]; first < 'A' || first > 'Z' || len(name) < 3 {
		name = "CODE_" + strings.TrimLeft(name, "_")
	}
	if room := maxReason - len(ending); len(name) > room {
		name = name[:room]
	}
	name = strings.TrimRight(name, "_")
	if len(name+ending) < 3 {
		name = "CODE_" + name
	}
	return name + ending
}
