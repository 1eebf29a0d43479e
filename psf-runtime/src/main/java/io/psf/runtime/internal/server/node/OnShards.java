package io.psf.runtime.internal.server.node;

import io.psf.api.CallInfo;
import io.psf.api.Shard;
import io.psf.runtime.internal.server.lane.Lane;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Work that runs on several shards, each on its own lane, until all have answered. */
final class OnShards<T> {
    private final List<LaneShard> shards;
    private final Function<? super Shard, ? extends T> work;
    private final CallInfo call;
    private final @Nullable String reading;
    private final Lane home;
    private final CompletableFuture<List<T>> all;
    private final AtomicInteger missing;
    /** By shard. Each element is written by its shard's lane, before the shard is counted. */
    private final List<@Nullable T> answers;

    private final List<@Nullable Throwable> failures;

    private OnShards(
            List<LaneShard> shards,
            Function<? super Shard, ? extends T> work,
            CallInfo call,
            @Nullable String reading,
            Lane home,
            CompletableFuture<List<T>> all) {
        this.shards = shards;
        this.work = work;
        this.call = call;
        this.reading = reading;
        this.home = home;
        this.all = all;
        this.missing = new AtomicInteger(shards.size());
        this.answers = new ArrayList<>(Collections.nCopies(shards.size(), null));
        this.failures = new ArrayList<>(Collections.nCopies(shards.size(), null));
    }

    /**
     * Starts the work. Does not block.
     *
     * @param shards in the order of the answers
     * @param call the call that the shards report meanwhile
     * @param reading the function, if it is read-only; null for another
     * @param home the lane on which {@code all} is completed
     * @param all completed with the answers, or with the first failure
     */
    static <T> void start(
            List<LaneShard> shards,
            Function<? super Shard, ? extends T> work,
            CallInfo call,
            @Nullable String reading,
            Lane home,
            CompletableFuture<List<T>> all) {
        if (shards.isEmpty()) {
            all.complete(List.of());
            return;
        }
        OnShards<T> run = new OnShards<>(shards, work, call, reading, home, all);
        for (int i = 0; i < shards.size(); i++) {
            int index = i;
            shards.get(i).lane().execute(() -> run.run(index));
        }
    }

    private void run(int index) {
        LaneShard shard = shards.get(index);
        try {
            shard.requireThere();
            shard.beginWork(call, reading);
            answers.set(index, work.apply(shard.shard()));
        } catch (Throwable e) { // passed on to the stage
            failures.set(index, e);
        } finally {
            shard.end();
            shard.lane().scratch().reset();
            if (missing.decrementAndGet() == 0) {
                home.execute(this::complete);
            }
        }
    }

    private void complete() {
        Throwable first = null;
        for (Throwable failure : failures) {
            if (first == null) {
                first = failure;
            } else if (failure != null && failure != first) {
                first.addSuppressed(failure);
            }
        }
        if (first != null) {
            all.completeExceptionally(first);
        } else {
            all.complete(Collections.unmodifiableList(answers));
        }
    }
}
