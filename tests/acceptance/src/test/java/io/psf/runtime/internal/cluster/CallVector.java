package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatType;
import io.psf.api.array.FloatTypes;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One call of the vectors: a request, the frames of its parts and of their answers, and the response.
 *
 * @param function the function
 * @param requestType the function's request
 * @param responseType the function's response
 * @param json the call as it is in the file
 */
record CallVector<Q extends Record, R extends Record>(
        Function<Q, R> function, Class<Q> requestType, Class<R> responseType, Map<String, Object> json) {
    private static final FramePool POOL = new FramePool(1 << 20);

    /** The tensor that the call runs on, and its place. */
    record Place(
            String tensor,
            long rows,
            int width,
            FloatType wire,
            List<Long> bounds,
            List<Integer> servers,
            long version) {
        /** Returns the layout, beside another one unless that is null. */
        TensorLayout layout(@Nullable TensorLayout beside) {
            TensorInfo info =
                    new TensorInfo(TensorId.of(tensor), rows, width, new FloatTypes(FloatType.FLOAT32, false, wire));
            long lanes = beside == null ? rows : beside.lanes();
            return new TensorLayout(info, bounds, servers, List.of(), lanes, version, version);
        }
    }

    /**
     * Returns the call, made of what is in the file: the bytes from the fields, the fields from the bytes, and the
     * response from the answers.
     *
     * @param fresh true to take the fields from the new bytes instead, which leaves only the requests and the bodies of
     *     answers as they are
     */
    Map<String, Object> made(boolean fresh) {
        @Nullable
        TensorLayout layout = json.containsKey("layout")
                ? Json.to(Place.class, Json.object(json.get("layout"))).layout(null)
                : null;
        Q request = Json.to(requestType, Json.object(json.get("request")));
        List<TensorLayout> others = Json.objects(json.getOrDefault("others", List.of())).stream()
                .map(other -> Json.to(Place.class, other).layout(layout))
                .toList();
        Routing routing = layout == null
                ? Routing.overNodes(1)
                : Routing.overSlices(
                        function,
                        request,
                        layout,
                        tensor -> others.stream()
                                .filter(other -> other.info().id().equals(tensor))
                                .findFirst()
                                .orElseThrow());
        List<Map<String, Object>> parts = Json.objects(json.get("parts"));
        if (parts.size() != routing.parts()) {
            throw new IllegalArgumentException(
                    json.get("name") + ": " + parts.size() + " parts (expected: " + routing.parts() + ")");
        }
        Map<String, Object> made = new LinkedHashMap<>(json);
        made.put("schema", function.info().schema());
        if (function.info().version() > 1) {
            made.put("schemas", function.info().schemas());
        }
        Merge<R> merge = function.merge(request, routing, null);
        List<Object> frames = new ArrayList<>();
        boolean failed = false;
        for (int part = 0; part < routing.parts(); part++) {
            Map<String, Object> sent = Json.object(parts.get(part).get("request"));
            Map<String, Object> answered = Json.object(parts.get(part).get("answer"));
            Frame of = request(request, routing, part, sent);
            Frame answer = answer(of, answered, layout == null ? null : layout.info());
            Frame readRequest = fresh ? of : Vectors.frame(sent);
            Frame readAnswer = fresh ? answer : Vectors.frame(answered);
            TensorId target = layout == null ? null : layout.info().id();
            Object body = Json.required(Json.of(function.read(readRequest.reader(target))));
            Map<String, Object> one = new LinkedHashMap<>();
            if (layout != null) {
                one.put("server", layout.server(routing.slice(part)));
            }
            one.put("request", Vectors.json(readRequest, body, of));
            if (json.containsKey("step")) {
                one.put("chain", Vectors.pieces(chain(request, routing, part, sent)));
            }
            one.put("answer", Vectors.json(readAnswer, body(readAnswer, answered, merge, part), answer));
            frames.add(one);
            failed |= readAnswer.status() != Code.OK;
        }
        made.put("parts", frames);
        if (!failed) {
            made.put("response", Json.of(merge.result()));
        }
        return made;
    }

    private Frame request(Q request, Routing routing, int part, Map<String, Object> given) {
        return Frames.request(POOL, header(routing, part, given), tuple(request, routing, part));
    }

    /** Returns the chain of one request that is a step of a task. */
    private Frame chain(Q request, Routing routing, int part, Map<String, Object> given) {
        RequestHeader.Step step = Json.to(RequestHeader.Step.class, Json.object(json.get("step")));
        return Frames.chain(POOL, step, List.of(header(routing, part, given)), List.of(tuple(request, routing, part)));
    }

    private TupleWriter tuple(Q request, Routing routing, int part) {
        TupleWriter tuple = new TupleWriter();
        tuple.ofTensor(routing.tensor());
        function.write(request, routing, part, tuple);
        return tuple;
    }

    private RequestHeader header(Routing routing, int part, Map<String, Object> given) {
        Map<String, Object> header = Json.object(given.get("header"));
        int slice = routing.slice(part);
        RequestHeader.Target target = routing.tensor() == null
                ? new RequestHeader.Target(0, slice, (short) 0)
                : new RequestHeader.Target(
                        routing.tensor().id().number(), slice, routing.layout().stamp(slice));
        return new RequestHeader(
                function.info(),
                target,
                Json.number(header, "call"),
                (int) Json.number(header, "timeout"),
                (int) Json.number(header, "attempt"),
                (int) Json.number(header, "priority"));
    }

    private Frame answer(Frame request, Map<String, Object> given, @Nullable TensorInfo tensor) {
        Map<String, Object> body = Json.object(given.get("body"));
        if (given.containsKey("refused")) {
            Code code = Code.valueOf(Json.string(given, "refused"));
            return Frames.refusal(POOL, request, new PsException(code, Json.string(body, "detail")));
        }
        TupleWriter tuple = new TupleWriter();
        tuple.ofTensor(tensor);
        function.writeAnswer(Json.to(responseType, body), tuple);
        FunctionInfo info = function.info();
        ByteBuffer bytes = ByteBuffer.allocate(Frames.length(tuple)).order(ByteOrder.LITTLE_ENDIAN);
        Frames.answer(bytes, info, request, tuple);
        return Frame.of(bytes.flip());
    }

    /** Returns what an answer says. That of one part of several is in the merged response only. */
    private Object body(Frame answer, Map<String, Object> given, Merge<R> merge, int part) {
        if (answer.status() != Code.OK) {
            return Map.of("detail", answer.reader(null).string());
        }
        merge.add(part, answer.reader(null));
        merge.decode(part);
        return Json.object(given.get("body"));
    }
}
