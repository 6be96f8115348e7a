package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/redact"
)

// redaction holds the flags of redact.
type redaction struct {
	match, verify, mask string
	all                 bool
	fold, pattern       bool
	dryRun, yes         bool

	target versions.RedactTarget
	choice versions.RedactChoice
}

// readerWait is how long a redaction waits for other readers of the trail.
const readerWait = 2 * time.Second

func redactCommand(p *program) *cobra.Command {
	var r redaction
	cmd := &cobra.Command{
		Use:               "redact [VERSION|PATH]",
		Annotations:       map[string]string{overview: "erase forever", changes: withName + ",match", whole: ""},
		Short:             "Erase contents of versions, and prove that they are gone",
		ValidArgsFunction: p.completeVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !slices.ContainsFunc([]string{"match", "verify", "mask", "ignore-case", "regexp", "all-stores", "dry-run", "yes"}, cmd.Flags().Changed) {
				return listReceipts(cmd.Context(), &p.homeOpener)
			}
			if err := parseRedaction(&p.console, cmd, &r, args); err != nil {
				return err
			}
			with := p.withStore
			if r.all {
				with = p.withStoreOrAny
			}
			if r.verify != "" {
				return with(cmd.Context(), func(s *engine.Store) error { return verify(cmd.Context(), &p.console, s, r) })
			}
			return with(cmd.Context(), func(s *engine.Store) error { return redactTexts(&p.caller, cmd, s, r, args) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.match, "match", "", "redact every version that contains `TEXT`; - reads standard input")
	flags.StringVar(&r.verify, "verify", "", "only search for `TEXT`; - reads standard input")
	flags.BoolVarP(&r.fold, "ignore-case", "i", false, "with --match or --verify: ignore case")
	flags.BoolVarP(&r.pattern, "regexp", "E", false, "the text of --match or --verify is a regular expression (RE2)")
	flags.StringVar(&r.mask, "mask", "", "with --match: replace the text with `TEXT` in current memories")
	flags.Lookup("mask").NoOptDefVal = "[redacted]"
	flags.BoolVar(&r.all, "all-stores", false, "with --match or --verify: in all stores of this home")
	flags.BoolVar(&r.dryRun, "dry-run", false, "show what would be erased, and erase nothing")
	flags.BoolVarP(&r.yes, "yes", "y", false, "don't ask")
	return cmd
}

// parseRedaction checks the flags, and reads the text if it is not among them.
func parseRedaction(p *console, cmd *cobra.Command, r *redaction, args []string) (err error) {
	flags := cmd.Flags()
	given := func(names ...string) (n int) {
		for _, flag := range names {
			if flags.Changed(flag) {
				n++
			}
		}
		return n
	}
	switch {
	case len(args)+given("match", "verify") != 1:
		return misusef(cmd.CommandPath(), "name one of a version, a memory, --match TEXT and --verify TEXT")
	case given("match", "verify") == 1 && r.match == "" && r.verify == "":
		return misusef(cmd.CommandPath(), "the text is empty")
	case r.verify != "" && given("mask", "dry-run", "yes") > 0:
		return misusef(cmd.CommandPath(), "--verify only searches: leave --mask, --dry-run and --yes out")
	case r.match == "" && flags.Changed("mask"):
		return misusef(cmd.CommandPath(), "--mask needs --match")
	case r.match == "" && r.verify == "" && (r.all || r.fold || r.pattern):
		return misusef(cmd.CommandPath(), "--all-stores, --ignore-case and --regexp need --match or --verify")
	}
	r.choice.Wait = readerWait
	if flags.Changed("mask") {
		r.choice.Heads, r.choice.Text = versions.HeadMask, []byte(r.mask)
	}
	r.target.AllStores, r.target.IgnoreCase, r.target.Regexp = r.all, r.fold, r.pattern
	switch text := r.match + r.verify; text {
	case "":
	case "-":
		if r.target.Match, err = p.readSecret("Text to erase (it is not shown): "); err == nil && len(r.target.Match) == 0 {
			err = misusef(cmd.CommandPath(), "the text is empty")
		}
	default:
		r.target.Match = []byte(text)
	}
	if err == nil && r.target.Match != nil {
		if err = redact.Check(r.target); err != nil {
			err = &misuse{err, cmd.CommandPath()}
		}
	}
	return err
}

func redactTexts(p *caller, cmd *cobra.Command, s *engine.Store, r redaction, args []string) error {
	ctx := cmd.Context()
	if err := resolveRedaction(cmd, s, &r, args); err != nil {
		return err
	}
	plan, err := redact.Prepare(ctx, s, r.target)
	if err != nil {
		return err
	}
	onlyPast := r.target.Memory != "" && r.choice.Heads == versions.HeadRefuse
	nothing := plan.Empty() || onlyPast && len(plan.Current()) == len(plan.Erase)
	if nothing && !r.dryRun {
		return nothingToRedact(ctx, &p.console, s, plan, r)
	}
	printRedactPlan(&p.console, plan, r)
	if r.dryRun {
		err := otherCase(ctx, &p.console, s, r)()
		if !nothing {
			err = errors.Join(err, redact.May(ctx, s, p.by, plan, r.choice))
		}
		if err == nil && slices.ContainsFunc(plan.Places, func(at versions.TextPlace) bool { return at.Stays }) {
			err = errReported // the text would still be there, as the plan says
		}
		return err
	}
	if err := p.mayErase("redact", true); err != nil {
		return err
	}
	if err := redact.May(ctx, s, p.by, plan, r.choice); err != nil {
		return err
	}
	if ok, err := p.confirmIrreversible(cmd.CommandPath(), "Erase this? Redacted text can't be recovered.", r.yes); err != nil || !ok {
		return err
	}
	searching := searchProgress(&p.console, &r)
	progressCtx, endProgress := p.withProgress(ctx, "")
	receipt, err := redact.Do(progressCtx, s, p.by, plan, r.choice)
	endProgress()
	searching.end()
	if err != nil {
		return err
	}
	return errors.Join(reportReceipt(&p.console, receipt), otherCase(ctx, &p.console, s, r)())
}

// otherCase begins to count how many more versions contain the text in another letter case, because an address is often
// written both ways. report waits for the count and prints it.
func otherCase(ctx context.Context, p *console, s *engine.Store, r redaction) (report func() error) {
	if r.target.Match == nil || r.fold || r.pattern || p.json {
		return func() error { return nil }
	}
	var n int
	var err error
	var search memfs.Group
	search.Go(func() { n, err = redact.OtherCase(ctx, s, r.target) })
	return func() error {
		search.Wait()
		if err == nil && n > 0 {
			fmt.Fprintf(p.err, "memend: %s the text in another letter case: --ignore-case finds it\n", draw.Plural(n, "more version contains", "more versions contain"))
		}
		return err
	}
}

// searchProgress shows the progress of the search.
func searchProgress(p *console, r *redaction) *progress {
	searching := p.progress("searching")
	if searching.w != nil { // else measuring the files first would be of no use
		r.choice.Progress = searching.bytes
	}
	return searching
}

// verify only searches.
func verify(ctx context.Context, p *console, s *engine.Store, r redaction) error {
	searching := searchProgress(p, &r)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	report := otherCase(ctx, p, s, r)
	found, err := redact.Verify(ctx, s, r.target, r.choice.Scrub)
	searching.end()
	if err != nil {
		stop()
		_ = report() // of a count that is given up
		return err
	}
	return errors.Join(reportReceipt(p, found), report())
}

// nothingToRedact reports, if there is nothing to redact, whether the text is gone, or the
// receipts of earlier redactions.
func nothingToRedact(ctx context.Context, p *console, s *engine.Store, plan redact.Plan, r redaction) error {
	if r.target.Match != nil {
		switch {
		case p.json:
		case len(plan.Kept) > 0:
			p.println("nothing to redact: no version of store %s contains it", p.safe(s.Info().Name))
		default:
			p.println("nothing to redact: no version contains it")
		}
		return verify(ctx, p, s, r)
	}
	before, err := redact.Of(ctx, s, r.target)
	if err != nil {
		return err
	}
	if !p.json {
		p.println("nothing to redact")
	}
	failed := false
	for _, b := range before {
		failed = failed || b.Outcome != versions.OutcomeGone
		p.answer(receiptOf(b), "redacted by %s on %s (receipt %d): %s", p.safe(b.By.String()), when(b.Time), b.ID, wording.Outcomes[b.Outcome])
	}
	if failed {
		return errReported
	}
	return nil
}

// resolveRedaction finds the version or the memory that was named.
func resolveRedaction(cmd *cobra.Command, s *engine.Store, r *redaction, args []string) error {
	if len(args) == 0 {
		return nil
	}
	ref, err := parseRef(cmd.Context(), s, cmd.CommandPath(), args[0])
	switch {
	case err != nil:
	case ref.memory != "":
		r.target.Memory = ref.memory
	case ref.id == "" && ref.version == 0 && ref.change == 0:
		r.target.Memory, err = history.MemoryAt(cmd.Context(), s, ref.path)
	default:
		var v versions.Version
		v, err = ref.one(cmd.Context(), s)
		r.target.Version = v.ID
	}
	return err
}

// listReceipts lists all redactions in this home.
func listReceipts(ctx context.Context, p *homeOpener) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		all, err := redact.Receipts(ctx, t)
		if err != nil {
			return err
		}
		for _, r := range all {
			left := ""
			if r.LeftUpstream > 0 {
				left = fmt.Sprintf(" (its service has not erased %s)", plural(r.LeftUpstream, "version"))
			}
			p.answer(receiptOf(r), "%4d  %s  %s  %s of %s: %s%s", r.ID, when(r.Time), actorColumn(&p.console, actors.Name(r.By)), plural(r.Versions, "version"), p.safe(r.Name), wording.Outcomes[r.Outcome], left)
		}
		if len(all) == 0 && !p.json {
			fmt.Fprintln(p.err, "memend: nothing was redacted in this home; name a version, a memory or --match TEXT to redact it")
		}
		return nil
	})
}

type plannedJSON struct {
	versionJSON
	StoreID string `json:"memory_store_id"`
	Current bool   `json:"current"` // it is the current version of its memory
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
		out = append(out, plannedJSON{uncounted(versionOf(v.Version)), string(v.StoreID), v.Current})
	}
	return out
}

// printRedactPlan shows what a redaction would do. With --json it is printed only for --dry-run: the
// output of a redaction is its receipt.
func printRedactPlan(p *console, plan redact.Plan, r redaction) {
	if p.json {
		if r.dryRun {
			p.emit(redactionJSON{plannedOf(plan.Erase), plannedOf(plan.Kept), plan.Places, plan.Unreadable})
		}
		return
	}
	places := "to be erased or masked as well:"
	switch {
	case plan.Empty():
		p.println("nothing to redact")
	case len(plan.Erase) == 0:
		places = "to be erased or masked:"
	case r.dryRun:
		p.println("would erase %s:", plural(len(plan.Erase), "version"))
	default:
		p.println("to be erased: %s", plural(len(plan.Erase), "version"))
	}
	printPlanned(p, plan.Erase)
	printPlaces(p, places, plan.Places, false)
	printPlaces(p, "contain it, but can't be changed by a redaction:", plan.Places, true)
	if len(plan.Kept) > 0 {
		p.println("not included, with the same content: %s", plural(len(plan.Kept), "version"))
		printPlanned(p, plan.Kept)
	}
	if plan.Unreadable > 0 {
		p.println("%s could not be read; `memend check` shows more", plural(plan.Unreadable, "damaged content"))
	}
}

// printPlaces lists the places besides versions that contain a text.
func printPlaces(p *console, title string, places []versions.TextPlace, stay bool) {
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

func printPlanned(p *console, vs []versions.PlannedVersion) {
	for i, v := range vs {
		if i == maxPlanned {
			p.println("  … and %d more", len(vs)-i)
			return
		}
		current := ""
		if v.Current {
			current = "  [current]"
		}
		p.println("  %s  %s by %s  %s:%s@%d%s", v.ID, when(v.Time), p.safe(actors.Name(v.Actor)), p.safe(v.Store), p.safe(v.Path.Tool()), v.Number, current)
	}
}

type receiptJSON struct {
	versions.Receipt
	By   versions.Actor `json:"redacted_by"`
	Time stamp          `json:"redacted_at"`
	Not  string         `json:"not_searched"`
}

func receiptOf(r versions.Receipt) receiptJSON {
	return receiptJSON{r, r.By, stamp(r.Time), versions.Beyond}
}

// reportReceipt prints what was erased and what the search found. The redaction succeeded only if
// nothing was found.
func reportReceipt(p *console, r versions.Receipt) error {
	if p.json {
		p.emit(receiptOf(r))
	} else {
		for _, line := range wording.Receipt(r) {
			lead := ""
			if line.Tone == wording.Listed {
				lead = "  "
			}
			p.println("%s%s", lead, p.safe(line.Text))
		}
	}
	if r.Outcome != versions.OutcomeGone {
		return errReported
	}
	return nil
}
