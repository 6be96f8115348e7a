// Package redact erases content for good, and proves it. Package engine says in which steps. [Prepare] lists what would be
// erased and changes nothing, [Do] erases and gives the receipt, and [Verify] only searches. A redaction that was stopped
// goes on with the next open of its home; [Receipts] lists them.
package redact
