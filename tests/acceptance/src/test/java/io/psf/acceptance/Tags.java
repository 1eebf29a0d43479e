package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lists, maps and booleans, both ways, of a function that had another name; and a handler that throws what it likes.
 */
@PsFunction(value = "acceptance.tags", formerly = "acceptance.labels")
interface Tags {
    enum Mode {
        ANSWER,
        THROW,
        LONE_SURROGATE
    }

    record Item(Map<String, String> texts) {}

    record Request(
            TensorId tensor,
            Mode mode,
            List<String> words,
            Map<String, Integer> weights,
            boolean[] flags,
            List<Item> items) {}

    record Response(List<String> words, @Reduce(SUM) Map<String, Integer> weights, Map<String, Boolean> flagOfSlice) {}

    default Response handle(Request request, Shard shard) throws IOException {
        if (request.mode() == Mode.THROW) {
            throw new FileNotFoundException("vocabulary.txt");
        }
        Map<String, Boolean> flags = new LinkedHashMap<>();
        flags.put("from " + shard.range().begin(), request.flags()[flags.size()]);
        List<String> words =
                request.mode() == Mode.LONE_SURROGATE ? List.of("fine", "not \ud83d fine") : request.words();
        return new Response(words, request.weights(), flags);
    }
}
