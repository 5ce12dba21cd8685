package browser_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The sites are those that other tests hold against what the plugin writes.
const (
	skaffold = root + "/docs/reference/skaffold/v2/index.html"
	language = root + "/testdata/language/want/single.html"
	byFile   = root + "/testdata/language/want/site-by-file/"
)

// pages are all pages that need no other file, and two kinds of a folder.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"page of a folder": byFile + "acme/shop.html", "index of a folder": byFile + "index.html"}
	for _, pattern := range []string{"testdata/*/want/*.html", "docs/reference/*/*.html", "docs/reference/*/*/*.html"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: there are no pages (%v)", pattern, err)
		}
		for _, path := range found {
			out[filepath.Base(path)+" of "+filepath.Base(filepath.Dir(path))] = path
		}
	}
	return out
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name, file, query string
		want              result // the first
		hash              string // where Enter leads
	}{
		{"field", skaffold, "errCode", result{
			Group: "Fields", Name: "errCode", Number: "= 1", Context: "proto.v2.ActionableErr",
		}, "#proto.v2.ActionableErr.errCode"},
		{"code by name", skaffold, "STATUSCHECK_IMAGE_PULL_ERR", result{
			Group: "Enum values", Name: "STATUSCHECK_IMAGE_PULL_ERR", Number: "= 300", Context: "proto.enums.StatusCode",
			Text: "Container image pull error",
		}, "#proto.enums.StatusCode.STATUSCHECK_IMAGE_PULL_ERR"},
		{"code by number", skaffold, "504", result{
			Group: "Enum values", Name: "DEPLOY_UNKNOWN", Number: "= 504", Context: "proto.enums.StatusCode",
			Text: "Deploy failed due to unknown reason",
		}, "#proto.enums.StatusCode.DEPLOY_UNKNOWN"},
		{"code by words of its description", skaffold, "container image pull", result{
			Group: "Enum values", Name: "STATUSCHECK_IMAGE_PULL_ERR", Number: "= 300", Context: "proto.enums.StatusCode",
			Text: "Container image pull error",
		}, "#proto.enums.StatusCode.STATUSCHECK_IMAGE_PULL_ERR"},
		{"RPC", skaffold, "autobuild", result{
			Group: "RPCs", Name: "AutoBuild", Context: "proto.v2.SkaffoldV2Service",
			Text: "Allows for enabling or disabling automatic build trigger",
		}, "#proto.v2.SkaffoldV2Service.AutoBuild"},
		{"message on another page of a folder", byFile + "bare.html", "FindRequest", result{
			Group: "Messages", Name: "FindRequest", Context: "acme.shop.v1",
		}, "#acme.shop.v1.FindRequest"},
		{"field of a page with an odd name", byFile + "acme/shop.html", "odd.odd self", result{
			Group: "Fields", Name: "self", Number: "= 1", Context: "odd.Odd",
		}, "#odd.Odd.self"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := open(t, desktop, c.file, "")
			found := x.search(c.query)
			if len(found) == 0 {
				t.Fatal("nothing is found")
			}
			if found[0] != c.want {
				t.Errorf("the first result is %+v, want %+v", found[0], c.want)
			}
			x.run(chromedp.KeyEvent(kb.Enter))
			x.until(fmt.Sprintf("location.hash === %s && document.readyState === 'complete'", quote(c.hash)))
			x.settle()
			x.lands()
		})
	}
}

// lands waits until the reader sees what the address names, and checks that it
// stands out.
func (x *tab) lands() {
	x.Helper()
	const mark = `(to => to.matches("tr") ? to.firstElementChild : to.querySelector(".self"))(
		document.querySelector(":target"))`
	x.until(`(top => top >= document.querySelector("header").getBoundingClientRect().bottom && top < innerHeight / 2)(` +
		mark + `.getBoundingClientRect().top)`)
	if got := eval[string](x, `getComputedStyle(`+mark+`).backgroundColor`); got == "rgba(0, 0, 0, 0)" {
		x.Error("the place does not stand out")
	}
}

func TestDeepLinks(t *testing.T) {
	for _, c := range []struct{ file, fragment string }{
		{skaffold, "proto.v2.SkaffoldV2Service"},
		{skaffold, "proto.v2.SkaffoldV2Service.AutoDeploy"},
		{skaffold, "proto.v2.BuildMetadata.Artifact"},
		{skaffold, "proto.v2.DeployState"},
		{skaffold, "proto.v2.Event.timestamp"},
		{skaffold, "proto.enums.StatusCode.DEPLOY_CANCELLED"},
		{skaffold, "file-v2/skaffold.proto"},
		{language, "acme.shop.v1.Order.payment"},
		{language, "acme.shop.v1.Order.voucher"},
		{byFile + "acme/legacy.html", "acme.legacy.Old"},
	} {
		t.Run(c.fragment, func(t *testing.T) {
			open(t, desktop, c.file, c.fragment).lands()
			open(t, phone, c.file, c.fragment).lands()
		})
	}
}

func TestSidebarFollows(t *testing.T) {
	x := open(t, desktop, skaffold, "")
	for _, id := range []string{
		"proto.v2.SkaffoldV2Service.Events", "proto.v2.Event", "proto.v2.TestState", "proto.enums.StatusCode",
	} {
		// Where the browser has not laid out what is between, it corrects the way.
		x.until(fmt.Sprintf(`(() => {
			const to = document.getElementById(%s);
			scrollBy(0, to.getBoundingClientRect().top - 100);
			return Math.abs(to.getBoundingClientRect().top - 100) < 2;
		})()`, quote(id)))
		x.settle()
		if got := eval[string](x, `document.querySelector("nav [aria-current]")?.hash ?? ""`); got != "#"+id {
			t.Errorf("at %s the sidebar shows %q", id, got)
		}
		if !eval[bool](x, `(() => {
			const nav = document.querySelector("nav").getBoundingClientRect();
			const link = document.querySelector("nav [aria-current]").getBoundingClientRect();
			return link.top >= nav.top && link.bottom <= nav.bottom;
		})()`) {
			t.Errorf("at %s the sidebar's link is out of sight", id)
		}
	}
	eval[chromedp.Void](x, `void scrollTo(0, document.documentElement.scrollHeight)`)
	x.until(`document.querySelector("nav [aria-current]").hash === "#proto.v2.VerifySubtaskEvent"`)
}

// On a phone the sidebar opens over the page, where the reader is in it.
func TestMenu(t *testing.T) {
	x := open(t, phone, skaffold, "proto.v2.Event")
	x.lands()
	toggle := func() { eval[chromedp.Void](x, `document.getElementById("ui-menu").click()`) }
	toggle()
	x.until(`(() => {
		const box = document.querySelector("nav").getBoundingClientRect();
		const link = document.querySelector("nav [aria-current]").getBoundingClientRect();
		return box.height <= innerHeight && link.top >= box.top && link.bottom <= box.bottom;
	})()`)
	x.picture("phone-menu")
	x.axe()
	x.run(chromedp.KeyEvent(kb.Escape))
	x.until(`!document.querySelector("nav").checkVisibility() && document.activeElement.id === "ui-menu"`)
	toggle()
	eval[chromedp.Void](x, `document.querySelector("nav a[href='#proto.v2.State']").click()`)
	x.until(`!document.querySelector("nav").checkVisibility()`)
	x.lands()
}

// everywhere lays out the whole page, which the browser does as far as one sees.
const everywhere = `document.querySelectorAll(".part").forEach(p => { p.style.contentVisibility = "visible"; }),
	document.querySelectorAll("details").forEach(d => { d.open = true; })`

func TestNothingOverflows(t *testing.T) {
	for name, file := range pages(t) {
		for _, v := range []view{desktop, dark, phone, {name: "tablet", width: 800, height: 1000}} {
			t.Run(name+" "+v.name, func(t *testing.T) {
				x := open(t, v, file, "")
				eval[chromedp.Void](x, everywhere)
				x.settle()
				width := eval[[]int](x, "[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
				if width[0] > width[1] {
					t.Errorf("the page is %d wide in a window of %d: %s", width[0], width[1], eval[string](x, `
						Array.from(document.querySelectorAll("main *"), e => e)
							.filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll, pre"))
							.slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join("\n")`))
				}
			})
		}
	}
}

func TestNoBarriers(t *testing.T) {
	for name, file := range pages(t) {
		for _, v := range []view{desktop, dark, phone} {
			t.Run(name+" "+v.name, func(t *testing.T) {
				x := open(t, v, file, "")
				eval[chromedp.Void](x, everywhere)
				x.settle()
				x.axe()
			})
		}
	}
	for _, v := range []view{desktop, dark} {
		t.Run("results "+v.name, func(t *testing.T) {
			x := open(t, v, skaffold, "")
			x.search("deployer")
			x.axe()
			x.run(chromedp.KeyEvent(kb.ArrowDown))
			x.axe()
		})
	}
}

func TestKeyboard(t *testing.T) {
	x := open(t, desktop, skaffold, "")
	focus := func() string {
		return eval[string](x, `document.activeElement.id || document.activeElement.textContent`)
	}
	press := func(key string) { x.run(chromedp.KeyEvent(key)) }
	press(kb.Tab)
	if got := focus(); got != "Skip to content" {
		t.Errorf("the first stop is %q", got)
	}
	press(kb.Enter)
	if got := focus(); got != "ui-main" {
		t.Errorf("the skip link leads to %q", got)
	}
	x.search("deploy")
	if got := focus(); got != "ui-search" {
		t.Errorf("/ leads to %q", got)
	}
	first := `document.querySelector("#ui-results a")`
	press(kb.ArrowDown)
	if !eval[bool](x, "document.activeElement === "+first) {
		t.Errorf("down leads to %q", focus())
	}
	press(kb.ArrowDown)
	press(kb.ArrowUp)
	if !eval[bool](x, "document.activeElement === "+first) {
		t.Errorf("down and up lead to %q", focus())
	}
	press(kb.ArrowUp)
	if got := focus(); got != "ui-search" {
		t.Errorf("up leads to %q", got)
	}
	press(kb.Escape)
	if !eval[bool](x, `document.getElementById("ui-results").hidden`) {
		t.Error("Escape leaves the results open")
	}
}

// Who goes to the bar at the top stays where he is on the page.
func TestBarDoesNotScroll(t *testing.T) {
	x := open(t, desktop, skaffold, "proto.v2.SkaffoldV2Service.AutoBuild")
	x.lands()
	x.slash() // ends what the page does to land
	x.settle()
	before := eval[float64](x, "scrollY")
	for _, id := range []string{"ui-theme", "ui-search", "ui-deprecated"} {
		eval[chromedp.Void](x, `document.getElementById(`+quote(id)+`).focus()`)
		x.settle()
		if got := eval[float64](x, "scrollY"); got != before {
			t.Errorf("%s scrolls the page from %v to %v", id, before, got)
		}
	}
	x.lands()
}

func TestThemeIsRemembered(t *testing.T) {
	x := open(t, desktop, skaffold, "")
	background := func() string { return eval[string](x, "getComputedStyle(document.body).backgroundColor") }
	light := background()
	x.run(chromedp.Click(chromedp.ID("ui-theme")))
	dark := background()
	if dark == light {
		t.Errorf("the button leaves the background at %s", light)
	}
	x.run(chromedp.Reload())
	if got := background(); got != dark {
		t.Errorf("after a reload the background is %s, want %s", got, dark)
	}
	x.run(chromedp.Click(chromedp.ID("ui-theme")))
	if got := background(); got != light {
		t.Errorf("back in light, the background is %s, want %s", got, light)
	}
}

func TestDeprecatedCanBeHidden(t *testing.T) {
	x := open(t, desktop, skaffold, "")
	shown := func() int {
		return eval[int](x, `Array.from(document.querySelectorAll("main tr.old")).filter(e => e.checkVisibility()).length`)
	}
	eval[chromedp.Void](x, everywhere)
	if shown() == 0 {
		t.Fatal("there is nothing deprecated: the test does not see it")
	}
	x.run(chromedp.Click(chromedp.ID("ui-deprecated")))
	if n := shown(); n != 0 {
		t.Errorf("%d deprecated rows are left", n)
	}
	for _, r := range x.search("kustomize") {
		if r.Name == "KUSTOMIZE" {
			t.Errorf("the search finds %+v", r)
		}
	}
	// The address of something hidden shows it.
	eval[chromedp.Void](x, `void (location.hash = "#proto.enums.DeployerType.KUSTOMIZE")`)
	x.until(`document.querySelector(":target").checkVisibility()`)
}

func TestCopy(t *testing.T) {
	x := open(t, desktop, skaffold, "proto.v2.SkaffoldV2Service.AutoBuild")
	eval[chromedp.Void](x, `void (navigator.clipboard.writeText = async text => { window.copied = text; })`)
	x.run(chromedp.Click(chromedp.CSS(`section:target .copy`)))
	x.until(`window.copied?.startsWith("curl --request PUT")`)
	x.until(`document.querySelector("section:target .copy").textContent === "Copied"`)
}

// Without JavaScript all but the search is there.
func TestWithoutJavaScript(t *testing.T) {
	for _, v := range []view{desktop, phone} {
		x := open(t, v, skaffold, "")
		x.run(
			command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}),
			chromedp.Navigate(address(t, language, "acme.shop.v1.Order.voucher")),
		)
		dead := `Array.from(document.querySelectorAll(".needs-js")).filter(e => e.checkVisibility()).length`
		if n := eval[int](x, dead); n != 0 {
			t.Errorf("%s: %d controls do nothing", v.name, n)
		}
		if !eval[bool](x, `document.querySelector("nav").checkVisibility()`) {
			t.Errorf("%s: there is no way around", v.name)
		}
		x.lands()
		x.picture("no-script-" + v.name)
	}
}
