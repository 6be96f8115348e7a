package cli

import (
	"fmt"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// This file prints plans and receipts of redactions.

type plannedJSON struct {
	versionJSON
	StoreID string `json:"memory_store_id"`
	Live    bool   `json:"live"` // it is the current version of its memory
}

type redactionJSON struct {
	Erase      []plannedJSON        `json:"erase"`
	Kept       []plannedJSON        `json:"kept"` // other versions with the same content, which are not redacted
	Places     []versions.TextPlace `json:"places,omitempty"`
	Unreadable int                  `json:"unreadable,omitempty"`
}

func plannedOf(vs []versions.PlannedVersion) []plannedJSON {
	out := []plannedJSON{}
	for _, v := range vs {
		out = append(out, plannedJSON{uncounted(versionOf(v.Version)), string(v.StoreID), v.Live})
	}
	return out
}

// plan shows what a redaction would do. With --json it is printed only for --dry-run: the
// output of a redaction is its receipt.
func (p *program) redactPlan(plan versions.RedactPlan, r redaction) {
	if p.json {
		if r.dryRun {
			p.emit(redactionJSON{plannedOf(plan.Erase), plannedOf(plan.Kept), plan.Places, plan.Unreadable})
		}
		return
	}
	switch {
	case plan.Empty():
		p.println("nothing to redact")
	case r.dryRun:
		p.println("would erase %s:", plural(len(plan.Erase), "version"))
	default:
		p.println("to be erased: %s", plural(len(plan.Erase), "version"))
	}
	p.redactable(plan.Erase)
	p.places("to be erased or masked as well:", plan.Places, false)
	p.places("contain it, but can't be changed by a redaction:", plan.Places, true)
	if len(plan.Kept) > 0 {
		p.println("not included, with the same content: %s", plural(len(plan.Kept), "version"))
		p.redactable(plan.Kept)
	}
	if plan.Unreadable > 0 {
		p.println("%s could not be read; `memend check` shows more", plural(plan.Unreadable, "damaged content"))
	}
}

// places lists the places besides versions that contain a text.
func (p *program) places(title string, places []versions.TextPlace, stay bool) {
	for _, place := range places {
		if place.Stays != stay {
			continue
		}
		if title != "" {
			p.println("%s", title)
			title = ""
		}
		p.println("  %s", p.safe(place.String()))
	}
}

// maxPlanned is how many versions of a plan are listed.
const maxPlanned = 20

func (p *program) redactable(vs []versions.PlannedVersion) {
	for i, v := range vs {
		if i == maxPlanned {
			p.println("  … and %d more", len(vs)-i)
			return
		}
		stands := ""
		if v.Live {
			stands = "  [current]"
		}
		p.println("  %s  %s by %s  %s:%s@%d%s", v.ID, when(v.Time), p.safe(actors.Name(v.Actor)), p.safe(v.Store), p.safe(v.Path.Tool()), v.Number, stands)
	}
}

type receiptJSON struct {
	versions.Receipt
	By   actorJSON `json:"redacted_by"`
	Time stamp     `json:"redacted_at"`
	Not  string    `json:"not_searched"`
}

func receiptOf(r versions.Receipt) receiptJSON {
	return receiptJSON{r, actorOf(r.By), stamp(r.Time), versions.Beyond}
}

var outcomes = map[versions.Outcome]string{
	versions.OutcomeGone:    "gone",
	versions.OutcomeStillIn: "NOT gone",
	versions.OutcomePending: "not finished",
	versions.OutcomeUnknown: "cannot tell",
}

// receipt prints what was erased and what the search found. The redaction succeeded only if
// nothing was found.
func (p *program) receipt(r versions.Receipt) error {
	if p.json {
		p.emit(receiptOf(r))
	} else {
		p.printReceipt(r)
	}
	if r.Outcome != versions.OutcomeGone {
		return errToldAlready
	}
	return nil
}

func (p *program) printReceipt(r versions.Receipt) {
	p.printErased(r)
	if n := r.ErasedThere; n > 0 {
		p.println("the service erased %s", plural(n, "version"))
	}
	if n := r.DroppedThere; n > 0 {
		p.println("the service no longer had %s", plural(n, "version"))
	}
	if n := r.LeftThere; n > 0 {
		p.println("the service has not erased %s%s", plural(n, "version"), because(p.safe(r.WhyThere)))
	}
	for _, place := range r.Places {
		p.println("masked: %s", p.safe(place.String()))
	}
	if r.Drafts > 0 {
		p.println("erased %s", plural(r.Drafts, "unsaved text"))
	}
	if r.Copies > 0 {
		p.println("erased %s", draw.Plural(r.Copies, "editor copy", "editor copies"))
	}
	if r.Masked > 0 {
		p.println("masked %s in conversations with agents", plural(r.Masked, "text"))
	}
	switch r.Folder {
	case versions.FolderRemoved:
		p.println("removed its folder, which memend created")
	case versions.FolderLeft:
		p.println("kept its folder and the memories in it")
	}
	p.printOutcome(r)
}

// printErased prints what was erased, one line per store.
func (p *program) printErased(r versions.Receipt) {
	parts := r.Parts
	if len(parts) == 0 {
		parts = []versions.Part{{ID: r.ID, Name: r.Name, Versions: r.Versions, Deletions: r.Deletions, Change: r.Change}}
	}
	for _, part := range parts {
		if part.ID == 0 {
			continue
		}
		p.println("erased %s of store %s (receipt %d)", plural(part.Versions-part.Deletions, "version"), p.safe(part.Name), part.ID)
		switch {
		case part.Deletions == 1:
			p.println("  change %d deleted the memory, and that version was erased too", part.Change)
		case part.Deletions > 1:
			p.println("  change %d deleted the memories, and those %d versions were erased too", part.Change, part.Deletions)
		case part.Change > 0:
			p.println("  change %d removed it from current memories", part.Change)
		}
	}
}

func (p *program) printOutcome(r versions.Receipt) {
	searched := fmt.Sprintf("in %s (%s)", plural(r.Files, "file"), size(r.Bytes))
	if r.Windows > 0 {
		searched = fmt.Sprintf("of %s found %s", plural(r.Windows, "fragment"), searched)
	} else {
		searched = "found " + searched
	}
	switch r.Outcome {
	case versions.OutcomeGone:
		p.println("gone: none %s", searched)
	case versions.OutcomePending:
		if r.LeftThere > 0 {
			p.println("not finished: the service is asked again each time a command syncs the store")
			break
		}
		p.println("not finished: another program is reading the trail; the rest is done when memend is next started or changes something")
	case versions.OutcomeStillIn:
		if r.Seen > 0 {
			p.println("NOT gone: %d %s; still in:", r.Seen, searched)
		} else {
			p.println("NOT gone; still in:")
		}
	case versions.OutcomeUnknown:
		p.println("cannot tell: none %s, but not everything could be searched:", searched)
	}
	for _, h := range r.Found {
		p.println("  %s", p.holding(h))
	}
	if r.More > 0 {
		p.println("  … and %d more", r.More)
	}
	for _, why := range r.Unknown {
		p.println("  not searched: %s", p.safe(why))
	}
	if r.Outcome == versions.OutcomePending {
		return
	}
	if r.Short > 0 {
		p.println("%s too short or too uniform for fragments: searched for as a whole, and not in the unused parts of the database", plural(r.Short, "text"))
	}
	p.println("%s", versions.Beyond)
}

func (p *program) holding(h versions.Holding) string {
	var what string
	switch {
	case h.Live:
		what = fmt.Sprintf("%s:%s, current (%s)", p.safe(h.Store), p.safe(h.Path), h.Version)
	case h.Version != "":
		what = fmt.Sprintf("%s:%s, an older version (%s)", p.safe(h.Store), p.safe(h.Path), h.Version)
	case h.Place != "":
		what = p.safe(h.Place)
	default:
		what = p.safe(h.File)
	}
	switch {
	case h.All:
		return what + ": the same content"
	case h.Matches > 0:
		return fmt.Sprintf("%s: found %s", what, times(h.Matches))
	case h.Windows > 0:
		return what + ": " + plural(h.Windows, "fragment")
	}
	return what
}

// because appends a reason, if there is one.
func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
