package io.psf.processor;

import static io.psf.processor.Column.Lay.ALONG;
import static io.psf.processor.Column.Lay.APPENDED;
import static io.psf.processor.Column.Lay.APPENDED_COUNTS;
import static io.psf.processor.Column.Lay.APPENDED_RAGGED;
import static io.psf.processor.Column.Lay.COUNTS;
import static io.psf.processor.Column.Lay.KEYS;
import static io.psf.processor.Column.Lay.LIST;
import static io.psf.processor.Column.Lay.OWNER;
import static io.psf.processor.Column.Lay.PRODUCED;
import static io.psf.processor.Column.Lay.RAGGED;
import static io.psf.processor.Column.Lay.RANGE;
import static io.psf.processor.Column.Lay.REDUCE;
import static io.psf.processor.Column.Lay.REDUCED_MAP;
import static io.psf.processor.Column.Lay.TARGET;
import static io.psf.processor.Column.Lay.UNION;

import io.psf.api.Place;
import io.psf.api.layout.Reduction;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/** Draws functions with all that the language has, under names that generated code has too. */
final class FunctionDraw {
    private static final List<String> INTERFACES = List.of(
            "F",
            "Function",
            "Merge",
            "Routing",
            "List",
            "Codec",
            "Stub",
            "Answers",
            "Pending",
            "Duration",
            "Binding",
            "Caller",
            "FunctionCaller",
            "FloatArray",
            "TensorId",
            "Reduction",
            "Place",
            "Concatenation",
            "Folds",
            "Generated",
            "Objects");
    private static final List<String> COMPONENTS = List.of(
            "request",
            "routing",
            "part",
            "in",
            "out",
            "into",
            "into_",
            "answers",
            "answer",
            "value",
            "values",
            "n",
            "caller",
            "options",
            "keys",
            "tensor",
            "handler",
            "worker",
            "target",
            "FUNCTION",
            "NAME",
            "i",
            "width",
            "deadline",
            "routing_",
            "parts",
            "merge",
            "result",
            "kept",
            "decode",
            "finish");
    private static final List<String> SHARED =
            List.of("FloatArray", "DoubleArray", "IntArray", "LongArray", "ByteArray");
    private static final List<String> NUMBERS = List.of("byte", "short", "int", "long", "float", "double");

    private static final Map<String, Class<?>> PRIMITIVES = Map.of(
            "boolean", boolean.class,
            "byte", byte.class,
            "short", short.class,
            "int", int.class,
            "long", long.class,
            "float", float.class,
            "double", double.class);

    private final Random random;
    private final TypeDraw types;
    private final Set<String> names = new HashSet<>();
    private final List<Column> request = new ArrayList<>();
    private final List<Column> response = new ArrayList<>();

    private final int versions;

    private FunctionDraw(long seed) {
        this.random = new Random(seed);
        this.versions = Math.max(1, random.nextInt(6) - 1);
        this.types = new TypeDraw(random, versions);
    }

    static RandomFunction draw(int seed) {
        return new FunctionDraw(seed).function(seed);
    }

    private RandomFunction function(int seed) {
        String type = pick(INTERFACES);
        types.draw(type);
        int kind = random.nextInt(10);
        Place place = kind < 7 ? Place.SHARD : kind < 9 ? Place.SERVER : Place.SCHEDULER;
        boolean owner = place == Place.SERVER && random.nextBoolean();
        boolean merged = place != Place.SCHEDULER && !owner && random.nextInt(5) == 0;
        for (int version = 1; version <= versions; version++) {
            request(version, place, owner);
        }
        names.clear();
        request.stream().filter(each -> each.lay() == KEYS).map(Column::name).forEach(names::add);
        for (int version = 1; version <= versions; version++) {
            response(version, place, merged || owner || place == Place.SCHEDULER);
        }
        return new RandomFunction(
                seed, type, place, merged, random.nextInt(4) == 0, versions, types::sources, request, response);
    }

    private void request(int version, Place place, boolean owner) {
        List<Column> group = new ArrayList<>();
        if (version == 1 && place == Place.SHARD) {
            for (int tensors = 1 + random.nextInt(2); tensors > 0; tensors--) {
                group.add(Column.whole(name(), "io.psf.api.TensorId", false, 1));
            }
        } else if (version == 1 && owner) {
            group.add(Column.of(name(), "long", OWNER, "", 0, 1));
        }
        for (int n = random.nextInt(5); n > 0; n--) {
            int kind = place == Place.SHARD ? random.nextInt(9) : random.nextInt(4);
            switch (kind) {
                case 0, 1, 2 -> group.add(types.whole(name(), version));
                case 3 -> group.add(Column.whole(name(), shared(), random.nextInt(4) == 0, version));
                case 4 -> group.add(Column.of(name(), shared(), RANGE, "", width(), version));
                case 5 -> group.add(keys(version));
                case 6, 7 -> along(group, ALONG, request, each -> each.lay() == KEYS, version);
                default ->
                    ragged(
                            group,
                            COUNTS,
                            RAGGED,
                            request,
                            request,
                            each -> each.lay() == KEYS && each.fold() == Reduction.NONE,
                            version);
            }
        }
        Collections.shuffle(group, random);
        boolean found = version > 1 || place != Place.SHARD;
        for (Column each : group) {
            boolean target = !found && each.type().equals("io.psf.api.TensorId") && !each.nullable();
            found |= target;
            request.add(target ? each.as(TARGET) : each);
        }
        List<String> tensors = request.stream()
                .filter(each -> each.type().equals("io.psf.api.TensorId") && !each.nullable())
                .map(Column::name)
                .toList();
        request.replaceAll(each -> each.lay() == KEYS && each.since() == version && random.nextInt(3) == 0
                ? each.of(pick(tensors))
                : each);
    }

    private Column keys(int version) {
        Reduction fold = pick(
                List.of(Reduction.NONE, Reduction.NONE, Reduction.SUM, Reduction.MIN, Reduction.MAX, Reduction.LAST));
        Column keys = Column.of(name(), "io.psf.api.array.LongArray", KEYS, "", 0, version)
                .folded(fold);
        return random.nextInt(5) == 0 ? keys.touchingEverySlice() : keys;
    }

    private void response(int version, Place place, boolean free) {
        List<Column> group = new ArrayList<>();
        for (int n = random.nextInt(6); n > 0; n--) {
            if (free) {
                group.add(
                        random.nextInt(4) == 0
                                ? Column.whole(name(), shared(), random.nextInt(4) == 0, version)
                                : types.whole(name(), version));
                continue;
            }
            switch (place == Place.SHARD ? random.nextInt(14) - 2 : random.nextInt(6) - 2) {
                case -2 -> group.add(Column.of(name(), types.map(), UNION, "", 0, version));
                case -1 -> group.add(reducedMap(version));
                case 0, 1 -> group.add(reduced(version));
                case 2 ->
                    group.add(
                            Column.of(name(), shared(), REDUCE, "", 0, version).folded(ofNumbers()));
                case 3 -> group.add(Column.of(name(), types.list(), LIST, "", 0, version));
                case 4 -> group.add(Column.of(name(), shared(), RANGE, "", width(), version));
                case 5 -> along(group, ALONG, request, each -> each.lay() == KEYS, version);
                case 6 -> ragged(group, COUNTS, RAGGED, response, request, each -> each.lay() == KEYS, version);
                case 7 -> group.add(Column.of(name(), "io.psf.api.array.LongArray", PRODUCED, "", 0, version));
                case 8 -> along(group, APPENDED, response, each -> each.lay() == PRODUCED, version);
                case 9 ->
                    ragged(
                            group,
                            APPENDED_COUNTS,
                            APPENDED_RAGGED,
                            response,
                            response,
                            each -> each.lay() == PRODUCED,
                            version);
                default -> echo(group, version);
            }
        }
        Collections.shuffle(group, random);
        response.addAll(group);
    }

    private Column reduced(int version) {
        return random.nextInt(4) == 0
                ? Column.of(name(), "boolean", REDUCE, "", 0, version)
                        .folded(pick(List.of(Reduction.AND, Reduction.OR)))
                : Column.of(name(), pick(NUMBERS), REDUCE, "", 0, version).folded(ofNumbers());
    }

    private Column reducedMap(int version) {
        Column each = reduced(version);
        String boxed = MethodType.methodType(PRIMITIVES.get(each.type()))
                .wrap()
                .returnType()
                .getName();
        return Column.of(each.name(), "java.util.Map<java.lang.String, " + boxed + ">", REDUCED_MAP, "", 0, version)
                .folded(each.fold());
    }

    private Reduction ofNumbers() {
        return pick(List.of(Reduction.SUM, Reduction.MIN, Reduction.MAX));
    }

    private void along(List<Column> group, Column.Lay lay, List<Column> before, Predicate<Column> isKeys, int version) {
        leader(group, before, isKeys, version)
                .ifPresent(keys -> group.add(Column.of(name(), shared(), lay, keys.name(), width(), version)));
    }

    private void ragged(
            List<Column> group,
            Column.Lay counts,
            Column.Lay rows,
            List<Column> tuple,
            List<Column> before,
            Predicate<Column> isKeys,
            int version) {
        leader(group, tuple, each -> each.lay() == counts, version)
                .filter(each -> random.nextBoolean())
                .or(() -> leader(group, before, isKeys, version).map(keys -> {
                    Column lengths = Column.of(
                            name(), "io.psf.api.array.IntArray", counts, keys.name(), random.nextInt(2), version);
                    group.add(lengths);
                    return lengths;
                }))
                .ifPresent(each -> group.add(Column.of(name(), shared(), rows, each.name(), 0, version)));
    }

    /** A component of this version or of one before that others can follow. */
    private Optional<Column> leader(List<Column> group, List<Column> before, Predicate<Column> fits, int version) {
        List<Column> all = new ArrayList<>(before);
        all.addAll(group);
        all.removeIf(each -> !fits.test(each) || each.since() > version);
        return all.isEmpty() ? Optional.empty() : Optional.of(pick(all));
    }

    /** What answers with a component of the request, of the same layout. */
    private void echo(List<Column> group, int version) {
        leader(List.of(), request, each -> each.lay() == RANGE || each.lay() == ALONG, version)
                .ifPresent(each ->
                        group.add(Column.of(name(), each.type(), each.lay(), each.leader(), each.width(), version)
                                .echoing(each.name())));
    }

    private String shared() {
        return "io.psf.api.array." + pick(SHARED);
    }

    private int width() {
        return random.nextInt(3);
    }

    private String name() {
        String name = random.nextInt(3) == 0 ? pick(COMPONENTS) : "c" + random.nextInt(100);
        while (!names.add(name)) {
            name += random.nextInt(10);
        }
        return name;
    }

    private <T> T pick(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
