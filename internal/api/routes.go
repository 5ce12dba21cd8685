package api

import "google.golang.org/protobuf/encoding/protowire"

// Route is a binding of an RPC to HTTP (google.api.http in google/api/http.proto).
type Route struct {
	Verb string // GET, PUT, POST, DELETE, PATCH, or the kind of a custom pattern
	Path string
	Body string // the request field that is the body, or *; empty for no body
	// ResponseBody is the response field that is the body of the answer; empty for
	// the whole response.
	ResponseBody string
}

// HTTPOption is the full name of the extension that routes come from.
const HTTPOption = "google.api.http"

// httpNumber is the number of the extension google.api.http of MethodOptions.
const httpNumber protowire.Number = 72295728

// Field numbers of google.api.HttpRule and google.api.CustomHttpPattern.
const (
	httpGet                protowire.Number = 2
	httpPut                protowire.Number = 3
	httpPost               protowire.Number = 4
	httpDelete             protowire.Number = 5
	httpPatch              protowire.Number = 6
	httpBody               protowire.Number = 7
	httpCustom             protowire.Number = 8
	httpAdditionalBindings protowire.Number = 11
	httpResponseBody       protowire.Number = 12

	customKind protowire.Number = 1
	customPath protowire.Number = 2
)

var httpVerbs = map[protowire.Number]string{
	httpGet: "GET", httpPut: "PUT", httpPost: "POST", httpDelete: "DELETE", httpPatch: "PATCH",
}

// decodeRoutes finds google.api.http in encoded options.
func decodeRoutes(unknown []byte) ([]Route, error) {
	b, ok, err := Extension(unknown, httpNumber)
	if err != nil || !ok {
		return nil, err
	}
	rule, additional, err := decodeRoute(b)
	if err != nil {
		return nil, err
	}
	routes := []Route{rule}
	for _, b := range additional {
		rule, _, err := decodeRoute(b) // bindings nest one level only (http.proto)
		if err != nil {
			return nil, err
		}
		routes = append(routes, rule)
	}
	return routes, nil
}

func decodeRoute(b []byte) (route Route, additional [][]byte, err error) {
	var custom []byte
	err = EachField(b, func(num protowire.Number, typ protowire.Type, value []byte) error {
		if typ != protowire.BytesType {
			return nil
		}
		switch num {
		case httpGet, httpPut, httpPost, httpDelete, httpPatch:
			route.Verb, route.Path = httpVerbs[num], string(value)
			custom = nil
		case httpCustom:
			custom = append(custom, value...)
			route.Verb, route.Path, err = decodeCustomPattern(custom)
			return err
		case httpBody:
			route.Body = string(value)
		case httpResponseBody:
			route.ResponseBody = string(value)
		case httpAdditionalBindings:
			additional = append(additional, value)
		}
		return nil
	})
	return route, additional, err
}

func decodeCustomPattern(b []byte) (kind, path string, err error) {
	err = EachField(b, func(num protowire.Number, typ protowire.Type, value []byte) error {
		switch {
		case typ == protowire.BytesType && num == customKind:
			kind = string(value)
		case typ == protowire.BytesType && num == customPath:
			path = string(value)
		}
		return nil
	})
	return kind, path, err
}
