package wording

import (
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

func TestReceipt_ListsWhatWasErasedAndFound(t *testing.T) {
	for name, c := range map[string]struct {
		receipt versions.Receipt
		want    []Line
	}{
		"gone": {
			versions.Receipt{ID: 4, Name: "notes", Versions: 2, Deletions: 1, Change: 9, Outcome: versions.OutcomeGone, Windows: 51, Files: 6, Bytes: 369_000},
			[]Line{{"erased 1 version of store notes (receipt 4)", Plain}, {"change 9 deleted the memory, and that version was erased too", Listed},
				{"gone: none of 51 fragments found in 6 files (369 kB)", Good}, {versions.Beyond, Aside}},
		},
		"still there": {
			versions.Receipt{Outcome: versions.OutcomeStillIn, Windows: 3, Seen: 2, Files: 1, Bytes: 10, More: 1, Unknown: []string{"/x: permission denied"},
				Found: []versions.Holding{{File: "/y", Windows: 2}, {File: "/z", Matches: 1}}},
			[]Line{{"NOT gone: 2 of 3 fragments found in 1 file (10 B); still in:", Bad}, {"/y: 2 fragments", Listed}, {"/z: found once", Listed},
				{"… and 1 more", Listed}, {"not searched: /x: permission denied", Listed}, {versions.Beyond, Aside}},
		},
		"not finished": {
			versions.Receipt{Outcome: versions.OutcomePending, LeftUpstream: 1, WhyUpstream: "no", Drafts: 1},
			[]Line{{"the service has not erased 1 version: no", Bad}, {"erased 1 unsaved text", Plain},
				{"not finished: the request is repeated each time a command syncs the store", Open}},
		},
	} {
		if got := Receipt(c.receipt); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestTrouble_HasATextForEveryState(t *testing.T) {
	for _, trouble := range []versions.Trouble{versions.Offline, versions.RateLimited, versions.Unauthorized, versions.InvalidResponse, versions.Gone} {
		if s := Trouble(trouble, time.Time{}); s == "" || s == string(trouble) {
			t.Errorf("%s is worded as %q", trouble, s)
		}
	}
}
