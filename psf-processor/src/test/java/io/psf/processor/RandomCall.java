package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One request with random values, between callers and servers of all versions of a function. */
final class RandomCall {
    private final List<Version> versions;
    private final Version last;
    final TensorLayout layout;
    /** Of the tensors beside the one that the function runs on. */
    final TensorLayout beside;

    private final Random random;
    final Map<String, @Nullable Object> values = new HashMap<>();

    RandomCall(List<Version> versions, TensorLayout layout, Random random) {
        this.versions = versions;
        this.last = versions.get(versions.size() - 1);
        this.layout = layout;
        this.beside = beside(layout, random);
        this.random = random;
        for (int pass = 0; pass < 3; pass++) {
            for (Column each : last.request()) {
                if (order(each) == pass) {
                    values.put(each.name(), value(each));
                }
            }
        }
    }

    /** Slices of other sizes and rows of another width, in the same places. */
    private static TensorLayout beside(TensorLayout layout, Random random) {
        TensorInfo info = new TensorInfo(TensorId.of("beside"), 1 + random.nextInt(12), 1 + random.nextInt(3));
        List<Long> bounds = new ArrayList<>(List.of(0L, info.rows()));
        while (bounds.size() <= layout.slices()) {
            bounds.add((long) random.nextInt((int) info.rows() + 1));
        }
        return new TensorLayout(info, bounds.stream().sorted().toList(), layout.servers(), layout.lanes());
    }

    /** Keys come before lengths, and lengths before rows. */
    private static int order(Column each) {
        return each.lay() == Column.Lay.RAGGED ? 2 : each.leader().isEmpty() ? 0 : 1;
    }

    private @Nullable Object value(Column each) {
        Class<?> type = last.component("Request", each.name()).getType();
        TensorLayout layout = Slicing.layout(last.request(), each, this.layout, beside);
        int width = each.elements(layout.info().width());
        return switch (each.lay()) {
            case RANGE -> Elements.random(type, (int) layout.info().rows() * width, random);
            case KEYS -> keys(layout);
            case COUNTS ->
                IntStream.range(0, array(each.leader()).size())
                        .mapToObj(i -> (Object) random.nextInt(4))
                        .toList();
            case ALONG -> Elements.random(type, array(each.leader()).size() * width, random);
            case RAGGED ->
                Elements.random(
                        type,
                        array(each.leader()).stream().mapToInt(n -> (Integer) n).sum(),
                        random);
            default ->
                each.type().equals("io.psf.api.TensorId") && !each.nullable() && each.lay() != Column.Lay.TARGET
                        ? beside.info().id()
                        : each.isShared() && !(each.nullable() && random.nextBoolean())
                                ? Elements.random(type, random.nextInt(4), random)
                                : each.isShared() ? null : last.random("Request", each.name(), random);
        };
    }

    /** None, some on one slice, or any number anywhere, duplicates included. */
    private List<Object> keys(TensorLayout layout) {
        int slice = random.nextInt(layout.slices());
        boolean one = random.nextInt(3) == 0 && layout.range(slice).length() > 0;
        long begin = one ? layout.range(slice).begin() : 0;
        long end = one ? layout.range(slice).end() : layout.info().rows();
        return random.longs(random.nextInt(4) == 0 ? 0 : random.nextInt(20), begin, end)
                .mapToObj(key -> (Object) key)
                .toList();
    }

    @SuppressWarnings("unchecked")
    private List<Object> array(String name) {
        Object value = values.get(name);
        return value == null ? List.of() : (List<Object>) value;
    }

    Slicing slicing(Version caller) {
        Map<String, List<Object>> arrays = new HashMap<>();
        for (Column each : caller.request()) {
            if (each.isShared()) {
                arrays.put(each.name(), array(each.name()));
            }
        }
        return new Slicing(caller.request(), arrays, layout, beside);
    }

    Routing routing(Version caller, Object request) {
        return caller.drawn().place() == Place.SHARD
                ? Routing.overSlices(caller.function(), request, layout, id -> beside)
                : Routing.overNodes(layout.slices());
    }

    void requestsOfAnyVersionAreReadByAny() throws ReflectiveOperationException {
        for (Version caller : versions) {
            Object request = caller.tuple("Request", values);
            Routing routing = routing(caller, request);
            Slicing slicing = slicing(caller);
            assertThat(slices(routing)).isEqualTo(touched(caller, slicing));
            send(caller, request, routing, caller.version(), slicing);

            Object now = last.requestOf(caller, request);
            Routing wider = routing(last, now);
            assertThat(slices(wider)).containsAll(slices(routing));
            send(last, now, wider, caller.version(), slicing);
        }
    }

    /**
     * Sends a request to servers of all versions.
     *
     * @param known the version whose components the request has
     */
    private void send(Version caller, Object request, Routing routing, int known, Slicing slicing) {
        TupleWriter out = new TupleWriter();
        for (int part = 0; part < routing.parts(); part++) {
            out.reset();
            caller.function().write(request, routing, part, out);
            for (Version server : versions) {
                Map<String, String> read = Version.texts(server.function().read(Version.reader(out, caller.version())));
                for (Column each : server.request()) {
                    assertThat(read.get(each.name()))
                            .as(
                                    "%s from version %s to %s, slice %s",
                                    each.name(), known, server.version(), routing.slice(part))
                            .isEqualTo(
                                    each.since() > known
                                            ? server.empty("Request", each.name())
                                            : sent(server, each, request, known, slicing, routing.slice(part)));
                }
            }
        }
    }

    private String sent(Version server, Column each, Object request, int known, Slicing slicing, int slice) {
        return each.isShared() && values.get(each.name()) != null
                ? slicing.of(each, slice).toString()
                : server.from(known, "Request", each.name(), Tuples.get(request, each.name()));
    }

    private static List<Integer> slices(Routing routing) {
        return IntStream.range(0, routing.parts()).mapToObj(routing::slice).toList();
    }

    private List<Integer> touched(Version caller, Slicing slicing) {
        boolean ranges = caller.response().stream().anyMatch(each -> each.lay() == Column.Lay.RANGE);
        return IntStream.range(0, layout.slices())
                .filter(slice -> slicing.touches(slice, ranges) || firstKeysAreLaterAndEmpty(caller))
                .boxed()
                .toList();
    }

    /** Before there were keys every slice got the request: so it does if the first keys are not there. */
    private boolean firstKeysAreLaterAndEmpty(Version caller) {
        List<Column> keys = caller.request().stream()
                .filter(each -> each.lay() == Column.Lay.KEYS)
                .toList();
        int first = keys.stream().mapToInt(Column::since).min().orElse(1);
        return first > 1
                && keys.stream()
                        .filter(each -> each.since() == first)
                        .allMatch(each -> array(each.name()).isEmpty());
    }

    void answersOfAnyVersionAreMergedByAny() {
        for (Version caller : versions) {
            Object request = caller.tuple("Request", values);
            Routing routing = routing(caller, request);
            boolean fills = caller.response().stream().anyMatch(Column::isFilled);
            Slicing slicing = slicing(caller);
            @Nullable Object into = fills && random.nextBoolean() ? into(caller, slicing) : null;
            Answers answers = new Answers(caller, slicing, random);
            Merge<Object> merge = caller.function().merge(request, routing, into);
            List<Answers.Part> parts = answer(answers, routing, merge);
            Object result = Version.result(merge, routing.parts());
            if (caller.drawn().merged()) {
                List<?> seen = caller.merged();
                assertThat(seen).hasSize(parts.size());
                for (int i = 0; i < parts.size(); i++) {
                    requireAnswer(caller, seen.get(i), parts.get(i));
                }
            } else if (caller.drawn().isSingle()) {
                requireAnswer(caller, result, parts.get(0));
            } else {
                requireMerged(caller, result, answers, into);
            }
        }
    }

    /** Servers of any version answer, in any order; the parts come in the order of the slices. */
    private List<Answers.Part> answer(Answers answers, Routing routing, Merge<Object> merge) {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, routing.parts()).boxed().toList());
        Collections.shuffle(order, random);
        List<Answers.Part> parts = new ArrayList<>(Collections.nCopies(order.size(), null));
        TupleWriter out = new TupleWriter();
        for (int part : order) {
            Version server = random.nextBoolean() ? last : versions.get(random.nextInt(versions.size()));
            Answers.Part answer = answers.draw(routing.slice(part), server);
            parts.set(part, answer);
            out.reset();
            server.function().writeAnswer(server.tuple("Response", answer.values()), out);
            merge.add(part, Version.reader(out, server.version()));
        }
        return parts;
    }

    private void requireAnswer(Version caller, Object answer, Answers.Part part) {
        Map<String, String> read = Version.texts(answer);
        for (Column each : caller.response()) {
            assertThat(read.get(each.name()))
                    .as("%s of version %s", each.name(), part.version())
                    .isEqualTo(part.has(each) ? text(caller, each, part) : caller.empty("Response", each.name()));
        }
    }

    private static String text(Version caller, Column each, Answers.Part part) {
        @Nullable Object value = part.values().get(each.name());
        return each.isShared() ? Tuples.text(value) : caller.from(part.version(), "Response", each.name(), value);
    }

    private void requireMerged(Version caller, Object result, Answers answers, @Nullable Object into) {
        Map<String, String> read = Version.texts(result);
        for (Column each : caller.response()) {
            assertThat(read.get(each.name()))
                    .as("%s, filled: %s", each.name(), into != null)
                    .isEqualTo(answers.merged(each));
            if (answers.isIdentity(each)) {
                assertThat(read.get(each.name())).isEqualTo(Tuples.text(values.get(each.echo())));
            }
            if (into != null && each.isFilled()) {
                assertThat(Tuples.<Object>get(result, each.name())).isSameAs(Tuples.get(into, each.name()));
            }
        }
    }

    /** A response with arrays to be filled, which are not zero; nothing else is read. */
    private Object into(Version caller, Slicing slicing) {
        Map<String, @Nullable Object> given = new HashMap<>();
        for (Column each : caller.response()) {
            Class<?> type = caller.component("Response", each.name()).getType();
            int rows = each.lay() == Column.Lay.RANGE ? (int) layout.info().rows() : slicing.size(each.leader());
            given.put(
                    each.name(),
                    each.isFilled()
                            ? Elements.random(type, rows * slicing.width(each), random)
                            : type.isPrimitive() ? Elements.zeroOf(type) : null);
        }
        return caller.tuple("Response", given);
    }

    /** What is not what a peer writes is refused, and nothing else happens. */
    void bytesThatAreWrongAreRefused() {
        Object request = last.tuple("Request", values);
        Routing routing = routing(last, request);
        Function<Object, Object> function = last.function();
        if (routing.parts() == 0) {
            return;
        }
        TupleWriter out = new TupleWriter();
        function.write(request, routing, 0, out);
        distort(out, 1 + random.nextInt(5), reader -> function.read(reader));

        out.reset();
        Answers.Part answer = new Answers(last, slicing(last), random).draw(routing.slice(0), last);
        function.writeAnswer(last.tuple("Response", answer.values()), out);
        if (!last.drawn().merged() && routing.parts() == 1) {
            distort(out, last.version(), reader -> {
                Merge<Object> merge = function.merge(request, routing, null);
                merge.add(0, reader);
                Version.result(merge, 1);
            });
        }
    }

    private void distort(TupleWriter out, int version, Consumer<TupleReader> read) {
        for (int i = 0; i < 8; i++) {
            byte[] body = Version.bytes(out);
            if (body.length > 0) {
                body[random.nextInt(body.length)] = (byte) (random.nextBoolean() ? -1 : random.nextInt());
            }
            try {
                read.accept(Version.reader(body, out.blockLength(), out.arrays(), version));
            } catch (PsException e) {
                assertThat(e.code())
                        .isIn(
                                PsException.Code.PROTOCOL,
                                PsException.Code.SCHEMA_MISMATCH,
                                PsException.Code.HANDLER_FAILED,
                                PsException.Code.RESOURCE_EXHAUSTED);
            }
        }
    }
}
