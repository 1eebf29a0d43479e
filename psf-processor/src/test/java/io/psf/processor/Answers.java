package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.layout.Reduction;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What the slices answer, and the merge as it is documented, written down again the slow way. */
final class Answers {
    private final List<Column> response;
    private final Slicing slicing;
    private final Version caller;
    private final Random random;
    /** The parts in the order of the slices. */
    private final List<Part> parts = new ArrayList<>();

    private final int folded;

    Answers(Version caller, Slicing slicing, Random random) {
        this.response = caller.response();
        this.slicing = slicing;
        this.caller = caller;
        this.random = random;
        this.folded = random.nextInt(4);
    }

    /**
     * The answer of one slice.
     *
     * @param version the version of the server that gave it
     */
    record Part(int slice, int version, Map<String, @Nullable Object> values) {
        boolean has(Column each) {
            return each.since() <= version;
        }

        @SuppressWarnings("unchecked")
        List<Object> array(String name) {
            Object value = values.get(name);
            return value == null ? List.of() : (List<Object>) value;
        }
    }

    /** Draws the answer of a slice by a server of a version, which may know more or less than the caller. */
    Part draw(int slice, Version server) {
        Map<String, @Nullable Object> values = new HashMap<>();
        Part part = new Part(slice, server.version(), values);
        List<Column> columns = new ArrayList<>(server.response());
        columns.sort((a, b) -> order(a) - order(b));
        for (Column each : columns) {
            values.put(each.name(), value(each, part, server));
        }
        parts.add(part);
        return part;
    }

    /** Keys come before lengths, and lengths before rows. */
    private static int order(Column each) {
        return switch (each.lay()) {
            case RAGGED, APPENDED_RAGGED -> 2;
            case COUNTS, APPENDED, APPENDED_COUNTS -> 1;
            default -> 0;
        };
    }

    private @Nullable Object value(Column each, Part part, Version server) {
        Class<?> type = server.component("Response", each.name()).getType();
        int width = slicing.layout().info().width();
        return switch (each.lay()) {
            case REDUCE -> each.isShared() ? Elements.random(type, folded, random) : Elements.scalar(type, random);
            case RANGE, ALONG ->
                each.echo().isEmpty() || isUnknown(each)
                        ? Elements.random(type, rows(each, part.slice()) * slicing.width(each), random)
                        : slicing.of(slicing.column(each.echo()), part.slice());
            case COUNTS -> counts(rows(each, part.slice()));
            case PRODUCED -> Elements.random(type, random.nextInt(4), random);
            case APPENDED -> Elements.random(type, part.array(each.leader()).size() * each.elements(width), random);
            case APPENDED_COUNTS -> counts(part.array(each.leader()).size());
            case RAGGED, APPENDED_RAGGED -> Elements.random(type, sum(part.array(each.leader())), random);
            case UNION -> keysOf(part.slice(), server.random("Response", each.name(), random));
            case REDUCED_MAP -> numbers(server.component("Response", each.name()));
            default -> server.random("Response", each.name(), random);
        };
    }

    /** A map whose keys no other slice has. */
    private static Map<String, Object> keysOf(int slice, @Nullable Object map) {
        Map<String, Object> keys = new LinkedHashMap<>();
        ((Map<?, ?>) Objects.requireNonNull(map)).forEach((key, value) -> keys.put(slice + " " + key, value));
        return keys;
    }

    private Map<String, Object> numbers(RecordComponent component) {
        Class<?> boxed = (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[1];
        Class<?> number = MethodType.methodType(boxed).unwrap().returnType();
        Map<String, Object> numbers = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            numbers.put("key " + random.nextInt(3), Elements.scalar(number, random));
        }
        return numbers;
    }

    /** Whether the caller does not know it, and does not look at it. */
    private boolean isUnknown(Column each) {
        return each.since() > caller.version();
    }

    private int rows(Column each, int slice) {
        if (isUnknown(each)) {
            return 1;
        }
        return each.lay() == Column.Lay.RANGE
                ? (int) slicing.layout().range(slice).length()
                : slicing.keys(each.leader(), slice).size();
    }

    private List<Object> counts(int n) {
        List<Object> counts = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            counts.add(random.nextInt(4));
        }
        return counts;
    }

    private static int sum(List<?> counts) {
        return counts.stream().mapToInt(each -> (Integer) each).sum();
    }

    /** What a component of the one answer is, as text. */
    String merged(Column each) {
        parts.sort((a, b) -> a.slice() - b.slice());
        Class<?> type = caller.component("Response", each.name()).getType();
        return switch (each.lay()) {
            case REDUCE -> String.valueOf(reduced(each, type));
            case RANGE -> range(each, type).toString();
            case ALONG, COUNTS -> along(each, type).toString();
            case RAGGED -> ragged(each, type).toString();
            case PRODUCED, APPENDED, APPENDED_COUNTS, APPENDED_RAGGED ->
                appended(each, type).toString();
            case UNION, REDUCED_MAP -> Tuples.text(mapped(each));
            default -> Tuples.text(listed(each));
        };
    }

    private Map<String, Object> mapped(Column each) {
        Map<String, List<Object>> values = new LinkedHashMap<>();
        for (Part part : parts) {
            Object map = part.has(each) ? asCallers(each, part) : Map.of();
            ((Map<?, ?>) map)
                    .forEach((key, value) -> values.computeIfAbsent((String) key, none -> new ArrayList<>())
                            .add(value));
        }
        Map<String, Object> merged = new LinkedHashMap<>();
        values.forEach((key, all) -> {
            if (each.lay() == Column.Lay.UNION) {
                assertThat(all).as(key).hasSize(1);
            }
            merged.put(key, all.size() == 1 ? all.get(0) : Elements.fold(each.fold(), all));
        });
        return merged;
    }

    /** A part's component as the caller knows it. */
    private Object asCallers(Column each, Part part) {
        return Tuples.as(
                caller.component("Response", each.name()).getGenericType(),
                Objects.requireNonNull(part.values().get(each.name())),
                part.version());
    }

    private Object reduced(Column each, Class<?> type) {
        List<Object> values = new ArrayList<>();
        for (Part part : parts) {
            if (part.has(each)) {
                values.add(part.values().get(each.name()));
            } else if (!each.isShared()) {
                values.add(Elements.zeroOf(type));
            }
        }
        if (!each.isShared()) {
            return values.isEmpty() ? Elements.none(each.fold(), type) : Elements.fold(each.fold(), values);
        }
        List<Object> folds = new ArrayList<>();
        for (int i = 0; i < folded && !values.isEmpty(); i++) {
            int at = i;
            folds.add(Elements.fold(
                    each.fold(),
                    values.stream().map(part -> ((List<?>) part).get(at)).toList()));
        }
        return folds;
    }

    private List<Object> range(Column each, Class<?> type) {
        List<Object> all = new ArrayList<>();
        for (Part part : parts) {
            int length = rows(each, part.slice())
                    * each.elements(slicing.layout().info().width());
            all.addAll(part.has(each) ? part.array(each.name()) : Collections.nCopies(length, Elements.zero(type)));
        }
        return all;
    }

    private List<Object> along(Column each, Class<?> type) {
        List<Object> all = new ArrayList<>();
        int width = slicing.width(each);
        for (int position = 0; position < slicing.size(each.leader()); position++) {
            Part part = part(each.leader(), position);
            int row = slicing.row(each.leader(), part.slice(), position);
            all.addAll(
                    part.has(each)
                            ? part.array(each.name()).subList(row * width, (row + 1) * width)
                            : Collections.nCopies(width, Elements.zero(type)));
        }
        return all;
    }

    private List<Object> ragged(Column each, Class<?> type) {
        Column counts = response.stream()
                .filter(other -> other.name().equals(each.leader()))
                .findFirst()
                .orElseThrow();
        List<Object> all = new ArrayList<>();
        for (int position = 0; position < slicing.size(counts.leader()); position++) {
            Part part = part(counts.leader(), position);
            int row = slicing.row(counts.leader(), part.slice(), position);
            if (part.has(counts)) {
                List<Object> lengths = part.array(counts.name());
                int begin = sum(lengths.subList(0, row));
                int length = (Integer) lengths.get(row);
                all.addAll(
                        part.has(each)
                                ? part.array(each.name()).subList(begin, begin + length)
                                : Collections.nCopies(length, Elements.zero(type)));
            }
        }
        return all;
    }

    private Part part(String keys, int position) {
        return parts.stream()
                .filter(each -> slicing.positions(keys, each.slice()).contains(position))
                .findFirst()
                .orElseThrow();
    }

    private List<Object> appended(Column each, Class<?> type) {
        List<Object> all = new ArrayList<>();
        for (Part part : parts) {
            List<Object> leader = part.array(each.leader());
            int missing = each.lay() == Column.Lay.PRODUCED || !leads(part, each)
                    ? 0
                    : each.lay() == Column.Lay.APPENDED_RAGGED
                            ? sum(leader)
                            : leader.size()
                                    * each.elements(slicing.layout().info().width());
            all.addAll(part.has(each) ? part.array(each.name()) : Collections.nCopies(missing, Elements.zero(type)));
        }
        return all;
    }

    /** Whether a part has the keys or the lengths that a component goes along. */
    private boolean leads(Part part, Column each) {
        return response.stream().anyMatch(other -> other.name().equals(each.leader()) && part.has(other));
    }

    private List<Object> listed(Column each) {
        List<Object> all = new ArrayList<>();
        for (Part part : parts) {
            all.addAll(part.has(each) ? (List<?>) asCallers(each, part) : List.of());
        }
        return all;
    }

    /** Whether a component must be what the request had. */
    boolean isIdentity(Column each) {
        if (each.echo().isEmpty() || parts.stream().anyMatch(part -> !part.has(each))) {
            return false;
        }
        Column of = slicing.column(each.echo());
        return of.lay() == Column.Lay.RANGE || slicing.column(of.leader()).fold() == Reduction.NONE;
    }
}
