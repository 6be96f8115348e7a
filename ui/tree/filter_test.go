package tree

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFilter_ShowsMatchesAndTheirFolders(t *testing.T) {
	for query, want := range map[string][]string{
		"plan":                   {"projects/release/plan.md"},
		"PLAN":                   nil,
		"MEM":                    {"MEMORY.md"},
		"release !plan":          {"projects/release/checklist.md"},
		"is:changed":             {"people/dana.md"},
		"is:ch by:cl":            {"people/dana.md"},
		"is:stale":               nil, // dana.md was written just now
		"is:hidden":              {"inbox/from-web.md"},
		"is:link":                {"shared"},
		"is:big":                 {"logs/all.log"},
		"by:me":                  {"people/lee.md"},
		"by:api":                 {"projects/api/errors.json"},
		"by:claude newer:1d":     {"people/dana.md", "projects/release/plan.md"},
		"older:30d":              {"people/lee.md"},
		"by:claude since:23h":    {"people/dana.md", "projects/release/plan.md"},
		"until:30d":              {"people/lee.md"},
		"since:today by:claude":  {"people/dana.md", "projects/release/plan.md"},
		"!since:30d !until:30d":  {"inbox/pipe", "logs/all.log", "shared"}, // these are not memories and have no time
		"larger:10k !is:big":     {"projects/api/errors.json"},
		"smaller:1 ! is: newer:": {"people/dana.md", "inbox/pipe", "shared"},
		"unread:3d older:4d":     {"inbox/from-web.md", "projects/api/errors.json"},
		"":                       {"inbox/from-web.md", "inbox/pipe", "logs/all.log", "people/dana.md", "people/lee.md", "projects/api/errors.json", "projects/release/checklist.md", "projects/release/plan.md", "MEMORY.md", "shared"},
	} {
		s := newSim(t, sample())
		s.on("people/lee.md").keys("*")
		s.store.put(claude, "people/dana.md", 0, 0)
		s.read()
		s.keys("_ /")
		s.typed(query)
		if query == "" {
			s.keys("enter =")
		}
		got := s.memories()
		slices.Sort(got)
		slices.Sort(want)
		s.want(query, got, want...)
		if query == "plan" {
			s.want(query, s.names(), "projects", "projects/release", "projects/release/plan.md")
			if _, info := s.Title(); info != "1 of 10" {
				t.Errorf("the title says %q", info)
			}
			if s.Here() != at("projects/release/plan.md") {
				t.Errorf("the cursor is on %s", s.Here())
			}
			s.keys("esc")
			s.want("after esc", s.names(), "inbox", "logs", "people", "projects", "MEMORY.md", "shared")
		}
	}
}

func TestFilter_ReportsUnknownWords(t *testing.T) {
	for query, want := range map[string]string{"is:purple": "is: changed new stale", "is:new": "", "newer:x": "newer: a time", "since:x": "since: takes 2d", "!until:": "", "!until:x": "until: takes", "larger:many": "larger: a size", "newer:999999999d": "a time", "x:y": "", "is:": ""} {
		if f := parseFilter(query, clock); !strings.Contains(f.problem, want) || want == "" && f.problem != "" {
			t.Errorf("%q: %q", query, f.problem)
		}
	}
}

func TestFilter_CompletesWords(t *testing.T) {
	s := newSim(t, sample())
	s.SetSize(60, 12)
	s.keys("/")
	if v := ansi.Strip(s.View()); !strings.Contains(v, "is:  by:  since:") {
		t.Errorf("nothing is offered:\n%s", v)
	}
	s.typed("by:c")
	s.keys("tab")
	s.typed("!si")
	s.keys("tab")
	s.typed("to")
	s.keys("tab")
	if s.filter.query != "by:claude !since:today" {
		t.Errorf("completed is %q", s.filter.query)
	}
	s.typed("is:x")
	if v := ansi.Strip(s.View()); !strings.Contains(v, "is: changed new stale") || strings.Contains(v, "is:  by:") {
		t.Errorf("what is wrong is not told:\n%s", v)
	}
	s.keys("enter")
	if s.filter.query != "by:claude !since:today is:x" || s.TakesText() {
		t.Errorf("it stays as %q", s.filter.query)
	}
}

func TestFilter_FollowsTheClock(t *testing.T) {
	s := newSim(t, sample())
	s.keys("/")
	s.typed("since:1d")
	s.keys("enter")
	if len(s.memories()) == 0 {
		t.Fatal("nothing is so new")
	}
	s.SetNow(clock.AddDate(1, 0, 0))
	s.read()
	s.want("a year later", s.memories())
}

func TestFilter_StaysWhileTheStoreChanges(t *testing.T) {
	s := newSim(t, sample())
	s.keys("/")
	s.typed("people")
	s.keys("enter")
	s.store.put(claude, "people/kim.md", 1, 0)
	s.store.put(claude, "other/x.md", 1, 0)
	s.read()
	s.want("shown", s.names(), "people", "people/dana.md", "people/kim.md", "people/lee.md")
	s.keys("esc")
	if len(s.names()) < 8 {
		t.Errorf("esc: %q", s.names())
	}
}
