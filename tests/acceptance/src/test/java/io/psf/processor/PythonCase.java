package io.psf.processor;

import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.cluster.Json;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A call as Java makes it, for Python to make again: the bytes of each part, of answers by servers of the caller's
 * version or of later ones, and of what these are merged into.
 */
final class PythonCase {
    private final RandomCall call;
    private final Version caller;
    private final List<Version> servers;
    private final Random random;

    PythonCase(RandomCall call, Version caller, List<Version> versions, Random random) {
        this.call = call;
        this.caller = caller;
        this.servers = versions.subList(versions.indexOf(caller), versions.size());
        this.random = random;
    }

    Map<String, Object> json() {
        Function<Object, Object> function = caller.function();
        Object request = caller.tuple("Request", call.values);
        Routing routing = call.routing(caller, request);
        Merge<Object> merge = function.merge(request, routing, null);
        Answers answers = new Answers(caller, call.slicing(caller), random);
        List<Object> parts = new ArrayList<>();
        for (int part = 0; part < routing.parts(); part++) {
            TupleWriter out = new TupleWriter();
            function.write(request, routing, part, out);
            Map<String, Object> json = new LinkedHashMap<>(Map.of("slice", routing.slice(part), "hex", hex(out)));
            Version server = servers.get(random.nextInt(servers.size()));
            out.reset();
            server.function()
                    .writeAnswer(
                            server.tuple(
                                    "Response",
                                    answers.draw(routing.slice(part), server).values()),
                            out);
            json.put(
                    "answer",
                    Map.of(
                            "version", server.version(),
                            "block", out.blockLength(),
                            "arrays", out.arrays(),
                            "hex", hex(out)));
            merge.add(part, Version.reader(out, server.version()));
            parts.add(json);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", caller.drawn().seed());
        json.put("schemas", function.info().schemas());
        json.put("place", caller.drawn().place().name());
        json.put("layout", Json.place(call.layout));
        json.put("beside", Json.place(call.beside));
        json.put("request", Json.of(request));
        json.put("parts", parts);
        json.put("merged", merged(merge, routing.parts()));
        return json;
    }

    /** Returns the response, or the responses that the function's own merge is given. */
    private List<Object> merged(Merge<Object> merge, int parts) {
        Object result = Version.result(merge, parts);
        List<Object> responses = new ArrayList<>(caller.drawn().merged() ? caller.merged() : List.of(result));
        responses.replaceAll(each -> {
            TupleWriter out = new TupleWriter();
            caller.function().writeAnswer(each, out);
            return hex(out);
        });
        return responses;
    }

    private static String hex(TupleWriter out) {
        return HexFormat.of().formatHex(Version.bytes(out));
    }
}
