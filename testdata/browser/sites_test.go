package browser_test

const (
	skaffold = root + "/docs/reference/skaffold/v2/index.html"
	language = root + "/testdata/language/want/single.html"
)
