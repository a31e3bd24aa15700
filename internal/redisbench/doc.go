// Package redisbench has no code, only benchmarks: redisstore beside redis_rate,
// which asks Redis for each call, on the same Redis in the same run.
//
//	go test -bench . ./internal/redisbench
//
// It is a module of its own because of what it compares, and is not for import.
package redisbench
