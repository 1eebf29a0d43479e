package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Picks values by key, with a merge that goes wrong in every way that a user's merge can. */
@PsFunction(value = "acceptance.chosen", readOnly = true)
interface Chosen {
    enum Fault {
        NONE,
        NULL,
        EXCEPTION,
        ERROR,
        STACK_OVERFLOW,
        BLOCKED,
        REFUSED,
        NULL_NAME,
        NULL_HIT
    }

    /** Never released. */
    CountDownLatch NEVER = new CountDownLatch(1);

    record Filter(String name, @Nullable String note) {}

    record Request(
            TensorId tensor,
            @ByKey LongArray keys,
            Fault fault,
            @Nullable Filter filter) {}

    record Hit(long key, String name) {
        /** Passes on a server, and fails on a worker. */
        public Hit {
            boolean onWorker = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("decode")));
            if (onWorker && "refused".equals(name)) {
                throw new IllegalArgumentException("name: refused (expected: another)");
            }
        }
    }

    record Response(List<Hit> hits) {}

    default Response handle(Request slice, Shard shard) {
        List<@Nullable Hit> hits = new ArrayList<>();
        for (long key : slice.keys().toArray()) {
            hits.add(slice.fault() == Fault.NULL_HIT && key == 0 ? null : new Hit(key, name(slice.fault(), key)));
        }
        return new Response(hits);
    }

    @SuppressWarnings("NullAway") // what is tried
    private static String name(Fault fault, long key) {
        return fault == Fault.NULL_NAME && key == 0
                ? null
                : fault == Fault.REFUSED && key == 0 ? "refused" : String.valueOf(key);
    }

    @SuppressWarnings({"InfiniteRecursion", "NullAway"}) // what is tried
    static Response merge(Request request, List<Response> slices) {
        return switch (request.fault()) {
            case NULL -> null;
            case EXCEPTION -> new Response(slices.get(7).hits());
            case ERROR -> throw new AssertionError("a defect of the merge");
            case STACK_OVERFLOW -> merge(request, slices);
            case BLOCKED -> {
                try {
                    NEVER.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                throw new AssertionError("not reached");
            }
            default ->
                new Response(slices.stream()
                        .map(Response::hits)
                        .reduce(
                                List.of(),
                                (some, more) -> Stream.concat(some.stream(), more.stream())
                                        .toList()));
        };
    }
}
