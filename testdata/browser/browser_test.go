// Package browser_test opens the sites of the html format in a real browser, from
// disk. It is a module of its own, so that nobody else needs the browser's driver.
//
//	go -C testdata/browser test -browser "$(command -v chromium)" -axe node_modules/axe-core/axe.min.js ./...
package browser_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	browserPath = flag.String("browser", "", "Chromium, an executable")
	axePath     = flag.String("axe", "", "axe.min.js of axe-core")
	pictures    = flag.String("pictures", "", "folder for pictures of the pages; none are taken without it")
)

const root = "../.."

// limit is how long anything may take in the browser.
const limit = 60 * time.Second

// start starts the browser for all tests.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

var browser context.Context

func run(m *testing.M) int {
	if *browserPath == "" {
		fmt.Fprintln(os.Stderr, "the path of the browser is missing: .ci/run shows how to get it")
		return 2
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(*browserPath),
		chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1400, 1000),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "the browser does not start:", err)
		return 2
	}
	return m.Run()
}

// view is how a reader looks at a page.
type view struct {
	name          string
	width, height int64
	dark, print   bool
}

var (
	desktop = view{name: "light", width: 1400, height: 1000}
	dark    = view{name: "dark", width: 1400, height: 1000, dark: true}
	phone   = view{name: "phone", width: 360, height: 740}
)

// tab is an open page. What a page must not do is an error of the test.
type tab struct {
	*testing.T
	ctx context.Context
}

// open opens a page of the repository in a tab of its own.
func open(t *testing.T, v view, file, fragment string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext()) // with settings of its own
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancelLimit := context.WithTimeout(ctx, limit)
	t.Cleanup(cancelLimit)
	x := &tab{t, ctx}
	x.watch()
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	if v.print {
		media.Media = "print"
	}
	x.run(
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 600,
		}),
		command(emulation.SetEmulatedMedia, media),
		chromedp.Navigate(address(t, file, fragment)),
	)
	x.settle()
	return x
}

func address(t *testing.T, file, fragment string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: fragment}
	return u.String()
}

// watch collects what the page does and fails the test, at its end, for errors
// and for requests that leave the disk.
func (x *tab) watch() {
	var mu sync.Mutex
	var found []string
	add := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, fmt.Sprintf(format, args...))
	}
	err := chromedp.Listen(x.ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "data:") {
				add("the page asks for %s", u)
			}
		case *runtime.EventExceptionThrown:
			add("exception: %s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		case *runtime.EventConsoleAPICalled:
			add("console.%s: %v", e.Type, e.Args)
		case *log.EventEntryAdded:
			add("%s: %s", e.Entry.Level, e.Entry.Text)
		}
	})
	if err != nil {
		x.Fatal(err)
	}
	x.run(
		command(network.Enable, network.EnableParams{}),
		command(runtime.Enable, cdp.Empty{}),
		command(log.Enable, cdp.Empty{}),
	)
	x.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, text := range found {
			x.Error(text)
		}
	})
}

// command is a command of the browser's protocol, for what chromedp has no word.
func command[P, R any](c cdp.Command[P, R], p P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, p)
		return err
	})
}

func (x *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	x.Helper()
	if err := chromedp.Do(x.ctx, actions...); err != nil {
		x.Fatal(err)
	}
}

// settle waits until two frames have been drawn, so that what follows a scroll
// has happened.
func (x *tab) settle() {
	x.Helper()
	eval[bool](x, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// eval evaluates an expression, or what a promise brings.
func eval[T any](x *tab, expression string) T {
	x.Helper()
	out, err := chromedp.Run(x.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		x.Fatalf("%.200s: %v", expression, err)
	}
	return out
}

// until waits for an expression to be true, also on a page that is yet to come.
func (x *tab) until(expression string) {
	x.Helper()
	for again := time.Tick(20 * time.Millisecond); ; {
		ok, err := chromedp.Run(x.ctx, chromedp.Evaluate[bool](expression))
		if ok && err == nil {
			return
		}
		select {
		case <-x.ctx.Done():
			x.Fatalf("%s does not come true: %v", expression, err)
		case <-again:
		}
	}
}

// search types a query as a reader does and waits for its results.
func (x *tab) search(query string) []result {
	x.Helper()
	eval[chromedp.Void](x, `void document.activeElement.blur()`)
	x.slash() // which selects what stands there
	x.run(chromedp.KeyEvent(query))
	x.until(fmt.Sprintf(`performance.getEntriesByName("search").some(e => e.detail === %q)`, query))
	return eval[[]result](x, `Array.from(document.querySelectorAll("#ui-results a"), a => ({
		Group: a.closest("ul").previousElementSibling.textContent,
		Name: a.querySelector(".name").textContent,
		Number: a.querySelector(".value")?.textContent ?? "",
		Context: a.querySelector(".context")?.textContent ?? "",
		Text: a.querySelector(".text")?.textContent ?? "",
	}))`)
}

// slash presses the key as a keyboard does: what the page makes of it decides
// whether there will be a character.
func (x *tab) slash() {
	x.Helper()
	x.run(
		command(input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Code: "Slash", Text: "/",
		}),
		command(input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyUp, Key: "/", Code: "Slash",
		}),
	)
}

type result struct{ Group, Name, Number, Context, Text string }

// picture takes a picture where somebody wants one.
func (x *tab) picture(name string) {
	x.Helper()
	if *pictures == "" {
		return
	}
	image, err := chromedp.Run(x.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		return r.Data, err
	})
	if err != nil {
		x.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), image, 0o644); err != nil {
		x.Fatal(err)
	}
}

// violation is what axe has found.
type violation struct {
	ID, Help string
	Nodes    []struct{ HTML, FailureSummary string }
}

// axe looks for barriers on a page. It must not load the style sheets again, which
// the page forbids.
func (x *tab) axe() {
	x.Helper()
	script, err := os.ReadFile(*axePath)
	if err != nil {
		x.Fatalf("axe-core is missing, .ci/run shows how to get it: %v", err)
	}
	eval[bool](x, string(script)+"; true")
	found := eval[[]violation](x,
		`axe.run(document, {preload: false, resultTypes: ["violations"]}).then(r => r.violations)`)
	for _, v := range found {
		for i, n := range v.Nodes {
			if i == 3 {
				x.Errorf("axe: %s: %d more", v.ID, len(v.Nodes)-i)
				break
			}
			x.Errorf("axe: %s: %s\n%s\n%s", v.ID, v.Help, n.HTML, n.FailureSummary)
		}
	}
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string
	}
	return string(b)
}
