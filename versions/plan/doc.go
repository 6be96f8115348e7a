// Package plan undoes, redoes, restores, replaces, merges and accepts. A [Goal] says what is wanted; [Make] previews what
// happens to each memory: clean, merged with later changes, in conflict with them, or nothing to do. [Apply] computes the
// plan again under the lock of the home and refuses if it differs; [Do] reaches a goal without a preview. The result is
// one change, which can be undone like any other. A conflict is never resolved without a choice.
package plan
