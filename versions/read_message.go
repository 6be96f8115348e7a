package versions

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSubject limits the characters of a subject in lists of changes and versions. A message may be
// thousands of times as long.
const maxSubject = 256

// beginOfMessage is the SQL expression for the first maxSubject characters of a change's message.
const beginOfMessage = `coalesce(substr(c.message,1,256),'')`

// subjectOf returns the subject of a message as git shows it: its first paragraph, on one line.
func subjectOf(begin string) (string, error) {
	var lines []string
	ends := utf8.RuneCountInString(begin) < maxSubject
	for line := range strings.Lines(begin) {
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		} else if len(lines) > 0 {
			ends = true
			break
		}
	}
	subject := strings.Join(lines, " ")
	if !ends {
		subject += "…"
	}
	return subject, nil
}

// Message returns the whole message of the commit that a change was imported from, and the e-mail
// address of its author. Both are empty when unknown.
func (s *Store) Message(ctx context.Context, change int64) (message, email string, err error) {
	err = s.t.db.Row(ctx, `SELECT coalesce(message,''),coalesce(email,'') FROM change WHERE store=? AND number=?`, s.id, change).Scan(&message, &email)
	return message, email, notFound(err, ErrNoChange, strconv.FormatInt(change, 10))
}
