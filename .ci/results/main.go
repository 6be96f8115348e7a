// Results reads the output of go test -json. It prints what failed, one line for the
// rest, and fails if a test failed or the skipped tests are not those of a list.
//
//	go test -json ./... | go run ./.ci/results -skips .ci/skips.txt -where root,no-corpus
//
// A line of the list has a place, a test as PACKAGE.TEST and the reason of the skip. A
// line counts where its place is always, or one of those that -where names, and where
// its package was tested.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const module = "github.com/memend/memend"

type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

type result struct {
	pkg, test string
	seconds   float64
}

// name is PACKAGE.TEST, without the path of the module.
func (r result) name() string {
	pkg := strings.TrimPrefix(strings.TrimPrefix(r.pkg, module), "/")
	return cmp.Or(pkg, "memend") + "." + r.test
}

type results struct {
	output  map[result]string // by package and test
	failed  []string
	skipped map[string]string // what each skipped test said
	passed  int
	pkgs    []result
}

func main() {
	list := flag.String("skips", "", "file that lists the expected skips")
	where := flag.String("where", "", "places whose lines count, separated by commas")
	anySkips := flag.Bool("any-skips", false, "accept every skip: another run checks them")
	flag.Parse()
	want, err := expected(*list, strings.Split(*where, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	r := results{output: map[result]string{}, skipped: map[string]string{}}
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *anySkips {
		want = r.skippedNames()
	}
	if !r.report(want) {
		os.Exit(1)
	}
}

// expected reads the list of skips.
func expected(file string, where []string) (map[string]bool, error) {
	want := map[string]bool{}
	if file == "" {
		return want, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) < 3 {
			return nil, fmt.Errorf("%s: %q has no place, test and reason", file, strings.TrimSpace(line))
		}
		if words[0] == "always" || slices.Contains(where, words[0]) {
			want[words[1]] = true
		}
	}
	return want, nil
}

func (r *results) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // the go command itself
			continue
		}
		r.add(e)
	}
	return lines.Err()
}

func (r *results) add(e event) {
	at := result{pkg: e.Package, test: e.Test}
	switch e.Action {
	case "build-output":
		fmt.Print(e.Output)
	case "build-fail":
		r.failed = append(r.failed, "build of "+e.ImportPath)
	case "output":
		r.output[at] += e.Output
	case "pass":
		if e.Test == "" {
			r.pkgs = append(r.pkgs, result{pkg: e.Package, seconds: e.Elapsed})
		} else {
			r.passed++
		}
		delete(r.output, at)
	case "skip":
		if e.Test != "" {
			r.skipped[at.name()] = r.output[at]
		}
		delete(r.output, at)
	case "fail":
		r.failed = append(r.failed, strings.TrimSuffix(at.name(), "."))
		fmt.Print(r.output[at])
		delete(r.output, at)
	}
}

// skippedNames returns the names of the tests that were skipped.
func (r *results) skippedNames() map[string]bool {
	names := map[string]bool{}
	for name := range r.skipped {
		names[name] = true
	}
	return names
}

// tested reports whether the package of a test was tested.
func (r *results) tested(name string) bool {
	pkg, _, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(r.pkgs, func(p result) bool {
		tested, _, _ := strings.Cut(p.name(), ".")
		return tested == pkg
	})
}

// report says what there was, and whether all was as it should be.
func (r *results) report(want map[string]bool) bool {
	ok := len(r.failed) == 0 && r.passed > 0
	for _, name := range r.failed {
		fmt.Println("failed:", name)
	}
	for name, says := range r.skipped {
		if !want[name] {
			ok = false
			fmt.Printf("unexpected skip: %s\n%s", name, says)
		}
	}
	for name := range want {
		if _, skipped := r.skipped[name]; !skipped && r.tested(name) {
			ok = false
			fmt.Printf("expected skip did not happen: %s\n", name)
		}
	}
	slices.SortFunc(r.pkgs, func(a, b result) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Printf("%d passed, %d skipped, %d failed", r.passed, len(r.skipped), len(r.failed))
	for i, p := range r.pkgs[:min(4, len(r.pkgs))] {
		fmt.Printf("%s %s %.0f s", []string{"; slowest:", ","}[min(i, 1)], cmp.Or(strings.TrimPrefix(p.pkg, module+"/"), "memend"), p.seconds)
	}
	fmt.Println()
	return ok
}
