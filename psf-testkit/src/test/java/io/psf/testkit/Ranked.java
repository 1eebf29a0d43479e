package io.psf.testkit;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The k keys of the largest values, merged by what was asked for. */
@PsFunction(value = "test.ranked", readOnly = true)
interface Ranked {
    record Request(TensorId tensor, int k, String defect) {}

    record Hit(long key, float value) {
        public Hit {
            if (key < 0) {
                throw new IllegalArgumentException("key: " + key + " (expected: >= 0)");
            }
        }
    }

    record Response(List<Hit> hits) {}

    default Response handle(Request slice, Shard shard) {
        List<Hit> hits = new ArrayList<>();
        for (int row = 0; row < shard.rows(); row++) {
            hits.add(new Hit(shard.key(row), shard.values().get(row * shard.width())));
        }
        return new Response(first(slice.k(), hits));
    }

    @SuppressWarnings("NullAway") // what is tried
    static Response merge(Request request, List<Response> slices) {
        return switch (request.defect()) {
            case "" ->
                new Response(first(
                        request.k(),
                        slices.stream().flatMap(slice -> slice.hits().stream()).toList()));
            case "null" -> null;
            default -> throw new IllegalStateException(request.defect());
        };
    }

    private static List<Hit> first(int k, List<Hit> hits) {
        return hits.stream()
                .sorted(Comparator.comparing(Hit::value).reversed().thenComparing(Hit::key))
                .limit(k)
                .toList();
    }
}
