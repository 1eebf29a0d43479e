package io.psf.processor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Draws the types of what is copied: scalars, enums, arrays, records of these, lists and maps; some of which grow. */
final class TypeDraw {
    private static final List<String> NAMES = List.of(
            "Point",
            "Mode",
            "Codec",
            "Stub",
            "Answers",
            "List",
            "Routing",
            "Function",
            "TupleReader",
            "String",
            "TensorId",
            "Merge",
            "Reduction");
    private static final List<String> PLAIN = List.of(
            "boolean",
            "byte",
            "short",
            "int",
            "long",
            "float",
            "double",
            "byte[]",
            "int[]",
            "long[]",
            "float[]",
            "double[]",
            "boolean[]",
            "java.lang.String",
            "java.lang.String",
            "java.util.List<java.lang.String>",
            "java.util.List<java.lang.Boolean>",
            "java.util.List<java.lang.Byte>",
            "java.util.List<java.lang.Short>",
            "java.util.List<java.lang.Integer>",
            "java.util.List<java.lang.Long>",
            "java.util.List<java.lang.Float>",
            "java.util.List<java.lang.Double>",
            "java.util.List<io.psf.api.TensorId>",
            "java.util.Map<java.lang.String, java.lang.String>",
            "java.util.Map<java.lang.String, java.lang.Boolean>",
            "java.util.Map<java.lang.String, java.lang.Integer>",
            "java.util.Map<java.lang.String, java.lang.Double>",
            "java.util.Map<java.lang.String, io.psf.api.TensorId>");
    private static final String TENSOR = "io.psf.api.TensorId";

    private final Random random;
    private final int versions;
    private final List<Nested> nested = new ArrayList<>();

    /**
     * A draw of types.
     *
     * @param versions of the function, each of which may bring something
     */
    TypeDraw(Random random, int versions) {
        this.random = random;
        this.versions = versions;
    }

    /**
     * A type nested in the interface.
     *
     * @param source what it is in a version
     * @param bytes whether it takes any
     * @param tensor whether a tensor stands in it that cannot be left out
     */
    private record Nested(String name, IntFunction<String> source, boolean record, boolean bytes, boolean tensor) {}

    /** Draws the nested types of an interface. */
    void draw(String outer) {
        List<String> names = new ArrayList<>(NAMES);
        names.remove(outer);
        for (int n = random.nextInt(5); n > 0; n--) {
            String name = names.remove(random.nextInt(names.size()));
            nested.add(random.nextInt(3) == 0 ? enumeration(name) : tuple(name));
        }
    }

    /** With a constant for unknown ones if any came later. */
    private Nested enumeration(String name) {
        List<String> constants = List.of("A", "B", "FUNCTION", "values_").subList(0, 1 + random.nextInt(4));
        List<Integer> later = laterVersions(random.nextInt(3));
        String first = String.join(", ", constants) + (later.isEmpty() ? "" : ", @io.psf.api.Unknown Other");
        IntFunction<String> source = version -> {
            StringBuilder all = new StringBuilder("enum " + name + " { " + first);
            for (int i = 0; i < later.size(); i++) {
                if (later.get(i) <= version) {
                    all.append(", @io.psf.api.Since(" + later.get(i) + ") Later" + i);
                }
            }
            return all + " }";
        };
        return new Nested(name, source, false, true, false);
    }

    /** So many versions after the first one in ascending order; none if there is but one. */
    private List<Integer> laterVersions(int n) {
        return versions == 1
                ? List.of()
                : random.ints(n, 2, versions + 1).sorted().boxed().toList();
    }

    private Nested tuple(String name) {
        List<Column> parts = new ArrayList<>();
        boolean bytes = false;
        boolean tensor = false;
        for (int i = random.nextInt(5); i > 0; i--) {
            Column part = whole(List.of("value", "out", "in", "x", "y").get(i), 1);
            Optional<Nested> of = of(part.type());
            parts.add(part);
            bytes |= part.nullable() || of.map(Nested::bytes).orElse(true);
            tensor |= !part.nullable()
                    && (part.type().equals(TENSOR) || of.map(Nested::tensor).orElse(false));
        }
        for (int version : laterVersions(random.nextInt(4))) {
            parts.add(whole("later" + parts.size(), version));
        }
        return new Nested(name, version -> source(name, parts, version), true, bytes, tensor);
    }

    private static String source(String name, List<Column> parts, int version) {
        return parts.stream()
                .filter(each -> each.since() <= version)
                .map(Column::source)
                .collect(Collectors.joining(", ", "record " + name + "(", ") {}"));
    }

    private Optional<Nested> of(String type) {
        return nested.stream().filter(each -> each.name().equals(type)).findFirst();
    }

    /** The sources of the nested types in a version. */
    List<String> sources(int version) {
        return nested.stream().map(each -> each.source().apply(version)).toList();
    }

    /** A component without a layout; what came later than the first version holds no tensor that must be there. */
    Column whole(String name, int version) {
        boolean nullable = random.nextInt(4) == 0;
        boolean tensors = version == 1 || nullable;
        List<String> all = new ArrayList<>(PLAIN);
        all.addAll(nested.stream()
                .filter(each -> tensors || !each.tensor())
                .flatMap(each -> Stream.of(each.name(), each.name(), each.name()))
                .toList());
        all.addAll(List.of(list(), list(), map()));
        if (tensors) {
            all.add(TENSOR);
        }
        String type = all.get(random.nextInt(all.size()));
        boolean primitive = type.matches("[a-z]+");
        return Column.whole(name, type, nullable && !primitive, version);
    }

    /** A list of anything that can be in one, of a nested record most often. */
    String list() {
        List<String> lists = new ArrayList<>(PLAIN.stream()
                .filter(each -> each.startsWith("java.util.List<"))
                .toList());
        for (Nested each : nested) {
            if (!each.record() || each.bytes()) {
                lists.addAll(Collections.nCopies(5, "java.util.List<" + each.name() + ">"));
            }
        }
        return lists.get(random.nextInt(lists.size()));
    }

    /** A map to anything that can be in one. */
    String map() {
        List<String> maps = new ArrayList<>(
                PLAIN.stream().filter(each -> each.startsWith("java.util.Map<")).toList());
        nested.stream()
                .filter(each -> !each.record())
                .map(each -> "java.util.Map<java.lang.String, " + each.name() + ">")
                .forEach(maps::add);
        return maps.get(random.nextInt(maps.size()));
    }
}
