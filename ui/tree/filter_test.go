package tree

import (
	"slices"
	"strings"
	"testing"
)

func TestFilter_LeavesWhatMatchesAndTheFoldersAbove(t *testing.T) {
	for query, want := range map[string][]string{
		"plan":                   {"projects/release/plan.md"},
		"PLAN":                   nil,
		"MEM":                    {"MEMORY.md"},
		"release !plan":          {"projects/release/checklist.md"},
		"is:pinned":              {"people/lee.md"},
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
		"larger:10k !is:big":     {"projects/api/errors.json"},
		"smaller:1 ! is: newer:": {"people/dana.md", "inbox/pipe", "shared"},
		"unread:3d older:4d":     {"inbox/from-web.md", "projects/api/errors.json"},
		"":                       {"inbox/from-web.md", "inbox/pipe", "logs/all.log", "people/dana.md", "people/lee.md", "projects/api/errors.json", "projects/release/checklist.md", "projects/release/plan.md", "MEMORY.md", "shared"},
	} {
		s := newSim(t, sample())
		s.on("people/lee.md").keys("p")
		s.store.put(claude, "people/dana.md", 0, 0)
		s.read()
		s.keys("- /")
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

func TestFilter_SaysWhatItDoesNotUnderstand(t *testing.T) {
	for query, want := range map[string]string{"is:purple": "is: changed new pinned", "is:new": "", "newer:x": "newer: a time", "larger:many": "larger: a size", "newer:999999999d": "a time", "x:y": "", "is:": ""} {
		if f := parseFilter(query); !strings.Contains(f.problem, want) || want == "" && f.problem != "" {
			t.Errorf("%q: %q", query, f.problem)
		}
	}
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
