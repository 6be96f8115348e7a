package draw

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/ui/text"
)

// Bytes formats a size in at most five columns: 812B, 1.2K, 340K, 1.2M.
func Bytes(n int64) string {
	const units = "BKMGTPE"
	u := 0
	f := float64(n)
	for f >= 999.5 && u < len(units)-1 {
		f /= 1024
		u++
	}
	prec := 0
	if u > 0 && f < 9.95 {
		prec = 1
	}
	return strconv.FormatFloat(f, 'f', prec, 64) + units[u:u+1]
}

// Age formats how long ago t was, in at most four columns; "" if t is zero.
func Age(now, t time.Time) string {
	if t.IsZero() || now.IsZero() {
		return ""
	}
	return text.Age(now.Sub(t))
}

// Ago returns an age in words, "3m ago", or the date if it is too long ago.
func Ago(now, t time.Time) string {
	switch age := Age(now, t); age {
	case "":
		return t.In(now.Location()).Format("2006-01-02 15:04")
	case "now":
		return "just now"
	default:
		return age + " ago"
	}
}

// LineCounts returns the numbers of lines that are added and removed: "+3 −1".
func LineCounts(added, removed int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, "+"+strconv.Itoa(added))
	}
	if removed > 0 {
		parts = append(parts, "−"+strconv.Itoa(removed))
	}
	return strings.Join(parts, " ")
}

// ShortID returns an id of up to twice most characters as it is, because that may be a name. Of a longer one it returns
// most: the end, in which ids differ, or of a git commit the beginning, which git knows.
func ShortID(id string, most int) string {
	if _, after, ok := strings.Cut(id, "_"); ok && after != "" {
		id = after
	}
	switch r := []rune(id); {
	case len(r) <= 2*most:
		return id
	case IsCommit(id):
		return id[:most]
	default:
		return string(r[len(r)-most:])
	}
}

// IsCommit reports whether an id is the hash of a git commit.
func IsCommit(id string) bool {
	_, err := hex.DecodeString(id)
	return err == nil && (len(id) == 40 || len(id) == 64)
}

// Plural returns "1 memory", "2 memories".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// TokenBytes is how many bytes of text a token has, by estimate.
const TokenBytes = 4

// Tokens estimates the number of tokens of a text of that many bytes.
func Tokens(bytes int64) string {
	n := bytes / TokenBytes
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950: // what would be rounded to 1000.0k is a million
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
}

// TokenCount returns the estimate with its unit: "≈1 token", "≈1.2k tokens".
func TokenCount(bytes int64) string {
	if n := Tokens(bytes); n != "1" {
		return "≈" + n + " tokens"
	}
	return "≈1 token"
}
