package tables

// The row of a change says who was seen making it, and an inference never rewrites that row. For an
// adopted change nobody was seen, so the row says outside. Each inference of who made it, and each
// one that an inference was wrong, adds a row to the table attribution. The newest row counts.

// Attributed joins the newest attribution of the change c, if there is one, as w.
const Attributed = ` LEFT JOIN attribution w ON w.id=(SELECT max(id) FROM attribution WHERE change=c.id) `

// These expressions are who made the change c, given the join of attributed.
const (
	MakerOf   = `coalesce(w.actor,c.actor)`
	SessionOf = `coalesce(w.session,c.session)`
	CallOf    = `coalesce(w.tool_use,c.tool_use)`
	TurnOf    = `coalesce(w.turn,c.turn)`
)

// DoorAndInputs are the door of the change c and what its session had taken in.
const DoorAndInputs = `coalesce(c.door,0),coalesce(w.inputs,c.inputs,0)`

// MakerAlone is MakerOf without the join.
const MakerAlone = `coalesce((SELECT actor FROM attribution WHERE change=c.id ORDER BY id DESC LIMIT 1),c.actor)`

// IsInferred is the SQL condition that the change c is attributed to the actor a by inference.
const IsInferred = `(w.id IS NOT NULL AND a.kind='agent')`

// IsNewest is the SQL condition that the attribution w counts.
const IsNewest = `w.id=(SELECT max(id) FROM attribution WHERE change=w.change)`

// ChangesOf is an SQL list of the changes of a session. A statement selects the session.
func ChangesOf(session string) string {
	return `(WITH of(session) AS (` + session + `)
		SELECT id FROM change WHERE session=(SELECT session FROM of)
		UNION ALL SELECT change FROM attribution w WHERE session=(SELECT session FROM of) AND ` + IsNewest + `)`
}

// SessionNamed selects the session with an id, which is a parameter.
const SessionNamed = `SELECT id FROM session WHERE uid=?`
