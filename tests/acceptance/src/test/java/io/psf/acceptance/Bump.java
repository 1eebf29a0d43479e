package io.psf.acceptance;

import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Counts its calls on a shard, and answers those of {@link AwaitBumps} that waited for as many. */
@PsFunction("acceptance.bump")
interface Bump {
    record Request(TensorId tensor) {}

    record Response(@Reduce(MIN) int bumps) {}

    /** The calls on a shard. */
    final class Bumps {
        int count;
        int waits;
        private final Map<Integer, List<CompletableFuture<AwaitBumps.Response>>> waiting = new HashMap<>();

        CompletableFuture<AwaitBumps.Response> await(int bumps) {
            waits++;
            CompletableFuture<AwaitBumps.Response> answer = new CompletableFuture<>();
            if (count >= bumps) {
                answer.complete(new AwaitBumps.Response(count, waits));
            } else {
                waiting.computeIfAbsent(bumps, n -> new ArrayList<>()).add(answer);
            }
            return answer;
        }
    }

    default Response handle(Request slice, Shard shard) {
        Bumps bumps = shard.attachment(Bumps.class, Bumps::new);
        bumps.count++;
        List<CompletableFuture<AwaitBumps.Response>> due = bumps.waiting.remove(bumps.count);
        if (due != null) {
            due.forEach(answer -> answer.complete(new AwaitBumps.Response(bumps.count, bumps.waits)));
        }
        return new Response(bumps.count);
    }
}
