package split

import (
	"context"

	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/versions"
)

// Texts has the contents of versions.
type Texts interface {
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
}

// Effect returns the diff of what the versions of a memory from first to last did.
func Effect(ctx context.Context, texts Texts, first, last versions.Version) *diffview.Document {
	fail := func(err error) *diffview.Document { return diffview.Note("Can't be shown: " + err.Error()) }
	before, err := texts.History(ctx, first.Memory, first.Number, 1)
	if err != nil {
		return fail(err)
	}
	var old, after []byte
	if len(before) > 0 && before[0].Operation != versions.Deleted {
		if old, err = texts.Content(ctx, before[0].ID); err != nil {
			return fail(err)
		}
	}
	if last.Operation != versions.Deleted {
		if after, err = texts.Content(ctx, last.ID); err != nil {
			return fail(err)
		}
	}
	if last.Renamed() && string(old) == string(after) {
		return diffview.Note("Renamed from " + last.From.String() + ": the text stays as it is.")
	}
	return diffview.Compare(last.Path.String(), old, after)
}

// Did says in one word what the versions of a memory from first to last did.
func Did(first, last versions.Version) string {
	switch {
	case last.Operation == versions.Deleted:
		return "deleted"
	case first.Operation == versions.Created:
		return "created"
	case last.Renamed():
		return "renamed"
	}
	return "edited"
}
