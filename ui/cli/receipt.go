package cli

import (
	"fmt"
	"time"

	"github.com/memtrail/memtrail/versions"
)

// What redactions plan and leave, as people and programs read it.

type plannedJSON struct {
	versionJSON
	StoreID string `json:"memory_store_id"`
	Live    bool   `json:"live"` // its memory holds it as it stands
}

type redactionJSON struct {
	Erase      []plannedJSON `json:"erase"`
	Kept       []plannedJSON `json:"kept"` // hold the same, and are not part of it
	Unreadable int           `json:"unreadable,omitempty"`
}

func plannedOf(vs []versions.PlannedVersion) []plannedJSON {
	out := []plannedJSON{}
	for _, v := range vs {
		out = append(out, plannedJSON{versionOf(v.Version), string(v.StoreID), v.Live})
	}
	return out
}

// plan shows what a redaction would do. With --json it is printed for --dry-run
// only: the answer of a redaction is its receipt.
func (p *program) redactPlan(plan versions.RedactPlan, r redaction) error {
	if p.json {
		if r.dryRun {
			return p.emit(redactionJSON{plannedOf(plan.Erase), plannedOf(plan.Kept), plan.Unreadable})
		}
		return nil
	}
	if plan.Empty() {
		p.println("nothing to redact")
	} else if r.dryRun {
		p.println("would erase %s:", plural(len(plan.Erase), "version"))
	} else {
		p.println("to be erased: %s", plural(len(plan.Erase), "version"))
	}
	p.redactable(plan.Erase)
	if len(plan.Kept) > 0 {
		p.println("not part of this, though %s the same:", map[bool]string{true: "it holds", false: "they hold"}[len(plan.Kept) == 1])
		p.redactable(plan.Kept)
	}
	if plan.Unreadable > 0 {
		p.println("%s could not be read; `memtrail check` says more", plural(plan.Unreadable, "damaged content"))
	}
	return nil
}

// maxPlanned is how many versions of a plan are named.
const maxPlanned = 20

func (p *program) redactable(vs []versions.PlannedVersion) {
	for i, v := range vs {
		if i == maxPlanned {
			p.println("  … and %d more", len(vs)-i)
			return
		}
		stands := ""
		if v.Live {
			stands = "  [as it stands now]"
		}
		p.println("  %s  %s by %s  %s:%s@%d%s", v.ID, when(v.Time), p.safe(v.Actor.String()), p.safe(v.Store), p.safe(v.Path.Tool()), v.Number, stands)
	}
}

type receiptJSON struct {
	versions.Receipt
	By   actorJSON `json:"redacted_by"`
	Time time.Time `json:"redacted_at"`
	Not  string    `json:"not_searched"`
}

func receiptOf(r versions.Receipt) receiptJSON {
	return receiptJSON{r, actorOf(r.By), r.Time, versions.Beyond}
}

var outcomes = map[versions.Outcome]string{
	versions.OutcomeGone:    "gone",
	versions.OutcomeStillIn: "still in other places",
	versions.OutcomePending: "not finished",
	versions.OutcomeUnknown: "cannot tell",
}

// receipt tells what was erased and what the search found. Only nothing found is
// success.
func (p *program) receipt(r versions.Receipt) error {
	if p.json {
		if err := p.emit(receiptOf(r)); err != nil {
			return err
		}
	} else {
		p.printReceipt(r)
	}
	if r.Outcome != versions.OutcomeGone {
		return errToldAlready
	}
	return nil
}

func (p *program) printReceipt(r versions.Receipt) {
	p.println("erased %s of store %s (receipt %d)", plural(r.Versions-r.Deletions, "version"), p.safe(r.Name), r.ID)
	if n := r.ErasedThere; n > 0 {
		p.println("its service says that it has erased %s", plural(n, "version"))
	}
	if n := r.DroppedThere; n > 0 {
		p.println("its service no longer had %s", plural(n, "version"))
	}
	switch {
	case r.Deletions == 1:
		p.println("change %d deleted the memory, and that version was erased too", r.Change)
	case r.Deletions > 1:
		p.println("change %d deleted the memories, and those %d versions were erased too", r.Change, r.Deletions)
	case r.Change > 0:
		p.println("change %d took it out of what stood", r.Change)
	}
	if r.Drafts > 0 {
		p.println("erased %s that held it", plural(r.Drafts, "unsaved text"))
	}
	if r.Masked > 0 {
		p.println("masked %s in conversations with agents", plural(r.Masked, "text"))
	}
	switch r.Folder {
	case versions.FolderRemoved:
		p.println("its folder, which memtrail had made, is removed")
	case versions.FolderLeft:
		p.println("its folder is not memtrail's and was left as it is, with the memories in it")
	}
	searched := fmt.Sprintf("of %s in %s (%s)", plural(r.Windows, "piece"), plural(r.Files, "file"), size(r.Bytes))
	switch r.Outcome {
	case versions.OutcomeGone:
		p.println("gone: searched for, and none found %s", searched)
	case versions.OutcomePending:
		p.println("not finished: another program reads the trail; the rest is done when memtrail next starts or changes something")
	case versions.OutcomeStillIn:
		p.println("still in, %s:", searched)
	case versions.OutcomeUnknown:
		p.println("cannot tell, %s:", searched)
	}
	for _, h := range r.Found {
		p.println("  %s", p.holding(h))
	}
	if r.More > 0 {
		p.println("  … and %d more", r.More)
	}
	for _, why := range r.Unknown {
		p.println("  not known: %s", p.safe(why))
	}
	if r.Outcome != versions.OutcomePending {
		p.println("%s", versions.Beyond)
	}
}

func (p *program) holding(h versions.Holding) string {
	much := plural(h.Windows, "piece")
	if h.All {
		much = "the same"
	}
	switch {
	case h.Live:
		return fmt.Sprintf("%s:%s as it stands now (%s): %s", p.safe(h.Store), p.safe(h.Path), h.Version, much)
	case h.Version != "":
		return fmt.Sprintf("%s:%s, an older version (%s): %s", p.safe(h.Store), p.safe(h.Path), h.Version, much)
	}
	return fmt.Sprintf("%s: %s", p.safe(h.File), much)
}
