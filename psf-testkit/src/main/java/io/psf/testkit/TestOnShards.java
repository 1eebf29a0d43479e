package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Shard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Work that runs on several shards, sequentially. */
record TestOnShards<T>(
        List<TestShard> shards,
        Function<? super Shard, ? extends T> work,
        CallInfo call,
        @Nullable String reading) {
    /** Queues the work on the lane, with a separate lane task for each shard. Does not block. */
    CompletableFuture<List<T>> start(TestLane lane) {
        CompletableFuture<List<T>> all = new CompletableFuture<>();
        List<@Nullable T> answers = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (TestShard shard : shards) {
            lane.execute(() -> run(shard, answers, failures));
        }
        lane.execute(() -> {
            if (failures.isEmpty()) {
                all.complete(Collections.unmodifiableList(answers));
            } else {
                all.completeExceptionally(failures.get(0));
            }
        });
        return all;
    }

    private void run(TestShard shard, List<@Nullable T> answers, List<Throwable> failures) {
        try {
            shard.requireThere();
            shard.beginWork(call, reading);
            answers.add(work.apply(shard));
        } catch (RuntimeException | Error e) {
            failures.add(e);
        } finally {
            shard.end();
        }
    }
}
