package redact

import (
	"slices"
	"testing"

	"github.com/memend/memend/versions/journal"
)

// Each text of the log is a place that a redaction searches and masks, or it is erased with versions and held changes, or has
// no text of anyone. A new kind of the log needs no word here.
func TestEveryTextOfTheLogIsAPlaceOfRedactions(t *testing.T) {
	t.Parallel()
	for _, s := range journal.Secrets() {
		place := slices.ContainsFunc(places, func(p place) bool { return p.table == s.Table && slices.Contains(p.columns, s.Column) })
		if place == slices.Contains(elsewhere, s.Table+"."+s.Column) {
			t.Errorf("%s.%s: a place: %v", s.Table, s.Column, place)
		}
	}
	more := withOthers(named, append(journal.Secrets(), journal.Secret{Noun: "note", Table: "note", Column: "text", OfStore: true, ByID: true},
		journal.Secret{Noun: "sign", Table: "sign", Column: "text", ByID: true}))
	if len(more) != len(named)+2 {
		t.Fatalf("%d places of %d", len(more), len(named))
	}
	if note, sign := more[len(more)-2], more[len(more)-1]; note.table != "note" || note.kept || note.store != "s.id" || sign.table != "sign" || sign.store != "" {
		t.Errorf("%+v %+v", note, sign)
	}
}
