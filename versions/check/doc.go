// Package check compares a trail with its log, with its own tables and with the folders of its stores ([Home], [Store]), and
// repairs a damaged one ([Repair]). A head of the log that is kept elsewhere shows whether somebody wrote the log again ([Since]).
package check
