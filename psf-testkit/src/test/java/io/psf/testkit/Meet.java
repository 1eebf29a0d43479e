package io.psf.testkit;

import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Adds rows at once, and answers when every worker has come, with the rows as they are then. */
@PsFunction("test.meet")
interface Meet {
    record Request(
            TensorId tensor,
            @ByKey(combine = SUM, everySlice = true) LongArray keys,
            @Along("keys") FloatArray update) {}

    record Response(
            @Along("keys") FloatArray rows, @Reduce(MAX) int lastToCome) {}

    final class Arrived {
        private final List<Runnable> waiting = new ArrayList<>();
    }

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        shard.optimizer().apply(shard, slice.keys(), slice.update());
        List<Runnable> waiting = shard.attachment(Arrived.class, Arrived::new).waiting;
        CompletableFuture<Response> answer = new CompletableFuture<>();
        int worker = shard.call().worker();
        int[] rows = shard.rows(slice.keys());
        waiting.add(() -> {
            FloatArray now = shard.allocate(rows.length * shard.width());
            for (int i = 0; i < rows.length; i++) {
                now.copyRow(i, shard.values(), rows[i], shard.width());
            }
            answer.complete(new Response(now, worker));
        });
        long workers = shard.members().stream()
                .filter(member -> member.role() == Role.WORKER)
                .count();
        if (waiting.size() == workers) {
            List<Runnable> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(Runnable::run);
        }
        return answer;
    }
}
