package browser_test

import "testing"

// TestPictures takes the pictures that one looks at after a change.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not given")
	}
	for _, v := range []view{desktop, dark, phone, {name: "print", width: 900, height: 1200, print: true}} {
		for name, at := range map[string]struct{ file, fragment string }{
			"top":      {skaffold, ""},
			"service":  {skaffold, "proto.v2.SkaffoldV2Service.AutoBuild"},
			"event":    {skaffold, "proto.v2.Event"},
			"kinds":    {skaffold, "proto.v2.Event-kinds"},
			"code":     {skaffold, "proto.enums.StatusCode.STATUSCHECK_IMAGE_PULL_ERR"},
			"language": {language, "acme.shop.v1.Shop"},
			"order":    {language, "acme.shop.v1.Order"},
			"unused":   {language, "acme.shop.v1.Unused"},
			"release":  {root + "/testdata/release/want/release.html", ""},
			"changed":  {root + "/testdata/release/want/release.html", "api-changes"},
			"rules":    {root + "/testdata/rules/want/rules.html", ""},
			"folder":   {byFile + "index.html", ""},
			"page":     {byFile + "acme/shop.html", ""},
		} {
			t.Run(v.name+" "+name, func(t *testing.T) {
				open(t, v, at.file, at.fragment).picture(v.name + "-" + name)
			})
		}
	}
	for _, v := range []view{desktop, dark, phone} {
		x := open(t, v, skaffold, "")
		x.search("image pull")
		x.picture(v.name + "-search")
	}
}

// TestReadmePictures takes those of docs/images.
func TestReadmePictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not given")
	}
	small := view{name: "light", width: 1180, height: 720}
	x := open(t, small, skaffold, "proto.enums.StatusCode.STATUSCHECK_IMAGE_PULL_ERR")
	x.lands()
	x.settle()
	x.picture("site-codes")
	x = open(t, small, skaffold, "proto.v2.SkaffoldV2Service.AutoBuild")
	x.lands()
	x.search("image pull")
	x.picture("site-search")
	small.dark = true
	x = open(t, small, skaffold, "proto.v2.SkaffoldV2Service.AutoBuild")
	x.lands()
	x.settle()
	x.picture("site-dark")
}
