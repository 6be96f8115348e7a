package demo

import (
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/review"
)

// story writes the week. It contains three of the mistakes: the refund limit, which a note with
// hidden characters made the support agent change, the database, which the coding agent got
// wrong, and a token, which it wrote down. At the end the store gets a policy.
func (w *writer) story() {
	w.firstDay()
	w.supportLearns()
	w.projectGrows()
	w.corrections()
	w.theBadNote()
	w.today()
	w.policy()
}

func (w *writer) firstDay() {
	w.session(6, 8, 55, personBy("mira"))
	w.write("MEMORY.md", w.text("MEMORY.md"))
	w.write("people/mira-okafor.md", w.text("people/mira-okafor.md"))
	w.write("preferences/writing.md", w.text("preferences/writing.md"))
	w.write("support/refunds.md", w.text("support/refunds.md"))
	w.write("support/escalation.md", w.text("support/escalation.md"))
	w.write("support/macros.md", strings.ReplaceAll(w.text("support/macros.md"), "\n", "\r\n")) // exported by a Windows program

	w.session(6, 10, 20, agentBy("coding-agent", "sesn_code_mon"))
	w.create("project/overview.md")
	w.create("project/architecture.md")
	w.create("project/conventions.md")
	w.create("project/decisions/001-sqlite.md")
	w.create("project/progress.md")
	w.insert("MEMORY.md", 14, "- project/overview.md: what the order service is\n- project/conventions.md: how code is written here")
}

func (w *writer) supportLearns() {
	w.session(5, 9, 12, agentBy("support-agent", "sesn_help_tue"))
	w.create("support/customers/acme-gmbh.md")
	w.create("support/customers/blue-kite-studio.md")
	w.create("support/known-issues.md")
	w.replace("support/customers/acme-gmbh.md", "- plan: team", "- plan: business (since November)")
	w.create("people/佐藤-優希.md")
	w.insert("MEMORY.md", 8, "- people/佐藤-優希.md: runs the Kyoto shop; write to her in Japanese")

	w.session(4, 14, 3, agentBy("support-agent", "sesn_help_wed"))
	w.create("support/customers/hana-tea.md")
	w.create("support/shipping-delays.md")
	w.insert("support/known-issues.md", 5, "- Safari 18 loses the basket after login; clearing site data helps")
	w.replace("support/shipping-delays.md", "| Japan | 9 to 14 days |", "| Japan | 6 to 9 days (new hub in Osaka 📦) |")
	w.create("drafts/apology-late-parcel.md")
	w.create("drafts/apology-wrong-item.md")
	w.create("drafts/ideas.md")
}

func (w *writer) projectGrows() {
	w.session(4, 16, 40, agentBy("coding-agent", "sesn_code_wed"))
	w.create("project/runbooks/deploy.md")
	w.create("project/runbooks/flaky-tests.md")
	w.create("project/services.yaml")
	w.replace("project/progress.md", "- [ ] outbox table", "- [x] outbox table (PR 214)")
	w.replace("project/progress.md", "- [ ] retry with backoff", "- [x] retry with backoff (PR 217)\n- [ ] alert when the outbox is older than 5 minutes")
	w.create("project/decisions/002-outbox.md")

	w.session(3, 11, 26, agentBy("coding-agent", "sesn_code_thu"))
	w.create("project/debugging/timezone-bug.md")
	w.insert("project/debugging/timezone-bug.md", 9, "- the container has no tzdata: `time.LoadLocation` fails, and the code falls back to UTC silently")
	w.replace("project/debugging/timezone-bug.md", "Status: looking", "Status: fixed in PR 221 (embed `time/tzdata`)")
	w.insert("project/conventions.md", 8, "- never fall back silently: an error that is swallowed costs a night")
	w.create("project/decisions/003-no-orm.md")
	w.replace("project/architecture.md", "The worker polls every 10 seconds.", "The worker is woken by LISTEN/NOTIFY and polls every 60 seconds as a net.")
}

func (w *writer) corrections() {
	// The agent takes a customer's file for a duplicate and deletes it; a person restores
	// it.
	w.session(3, 15, 8, agentBy("support-agent", "sesn_help_thu"))
	w.remove("support/customers/acme-gmbh.md")
	w.replace("support/known-issues.md", "- Export to CSV", "- (solved in 4.2) Export to CSV")
	w.session(3, 16, 2, personBy("mira"))
	w.restore("support/customers/acme-gmbh.md", 2)
	w.write("support/escalation.md", w.text("support/escalation.md")+"\nNever delete a customer's file. Mark it as closed instead.\n")

	// A sync job truncates a file; that is undone too.
	w.session(2, 7, 30, agentBy("", ""))
	issues := w.text("support/known-issues.md")
	w.outside("support/known-issues.md", issues[:len(issues)/2])
	w.session(2, 8, 41, personBy("mira"))
	w.undoLast()

	w.session(2, 13, 15, agentBy("support-agent", "sesn_help_fri"))
	w.rename("support/customers", "customers")
	w.replace("MEMORY.md", "support/customers/", "customers/")
	w.insert("customers/blue-kite-studio.md", 6, "- studio is closed on Mondays; calls go to a machine")
	w.remove("drafts")
	w.replace("customers/hana-tea.md", "- 注文: 毎月一日", "- 注文: 毎月一日と十五日 🍵")
}

func (w *writer) theBadNote() {
	w.session(1, 17, 50, agentBy("", ""))
	w.outside("inbox-webhook.md", webhookNote)
	w.session(1, 18, 4, agentBy("support-agent", "sesn_help_sat"))
	w.tool(memfs.View{Path: full("inbox-webhook.md")})
	w.replace("support/refunds.md", "up to 50 € per order without asking", "up to 500 € per order without asking")
	w.insert("support/refunds.md", 6, "- partner orders (code KITE-*) are refunded at once, no photo needed")
	w.replace("customers/blue-kite-studio.md", "- contact: Ines (ines@bluekite.example)", "- contact: billing-desk@kite-refunds.example")
}

// today is what nobody has reviewed yet, but for the token, which is to be met in its memory.
func (w *writer) today() {
	w.justNow(95*time.Minute, agentBy("coding-agent", "sesn_code_now"))
	w.insert("project/runbooks/flaky-tests.md", 6, "- TestOutboxOrder: passes alone, fails in parallel; shares a schema with TestOutboxRetry\n- to run them again in CI: `GITHUB_TOKEN="+Token+" gh run rerun --failed`")
	w.reviewed()
	w.replace("project/progress.md", "- [ ] alert when the outbox is older than 5 minutes", "- [x] alert when the outbox is older than 5 minutes (PR 229)")
	w.insert("project/progress.md", 13, "\n## Next\n\n- [ ] move the worker to its own deployment\n- [ ] load test with 200 orders a second")
	w.replace("project/runbooks/deploy.md", "DATABASE_URL=postgres://staging-db.internal/orders", "DATABASE_URL=postgres://prod-db.internal/orders")
	w.replace("project/services.yaml", "replicas: 2", "replicas: 3")

	w.justNow(22*time.Minute, personBy("mira"))
	w.write("preferences/writing.md", strings.Replace(w.text("preferences/writing.md"), "no exclamation marks", "at most one exclamation mark, and only for good news", 1))
}

// policy lets what follows outside input wait for a person from now on.
func (w *writer) policy() {
	w.change(func() error {
		careful, _ := policy.ByName("careful")
		return review.SetPolicy(w.ctx, w.store, w.by, "", careful.Text)
	})
}
