package io.psf.processor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Draws the types of what is copied: scalars, enums, arrays, records of these and lists of them. */
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
            "java.lang.String");
    private static final String TENSOR = "io.psf.api.TensorId";

    private final Random random;
    private final List<Nested> nested = new ArrayList<>();

    TypeDraw(Random random) {
        this.random = random;
    }

    /**
     * A type nested in the interface.
     *
     * @param bytes whether it takes any
     * @param tensor whether a tensor stands in it that cannot be left out
     */
    private record Nested(String name, String source, boolean record, boolean bytes, boolean tensor) {}

    /** Draws the nested types of an interface. */
    void draw(String outer) {
        List<String> names = new ArrayList<>(NAMES);
        names.remove(outer);
        for (int n = random.nextInt(5); n > 0; n--) {
            String name = names.remove(random.nextInt(names.size()));
            nested.add(random.nextInt(3) == 0 ? enumeration(name) : tuple(name));
        }
    }

    private Nested enumeration(String name) {
        List<String> constants = List.of("A", "B", "FUNCTION", "values_").subList(0, 1 + random.nextInt(4));
        return new Nested(name, "enum " + name + " { " + String.join(", ", constants) + " }", false, true, false);
    }

    private Nested tuple(String name) {
        List<String> parts = new ArrayList<>();
        boolean bytes = false;
        boolean tensor = false;
        for (int i = random.nextInt(5); i > 0; i--) {
            Column part = whole(List.of("value", "out", "in", "x", "y").get(i), 1);
            Optional<Nested> of = of(part.type());
            parts.add(part.source());
            bytes |= part.nullable() || of.map(Nested::bytes).orElse(true);
            tensor |= !part.nullable()
                    && (part.type().equals(TENSOR) || of.map(Nested::tensor).orElse(false));
        }
        return new Nested(name, "record " + name + "(" + String.join(", ", parts) + ") {}", true, bytes, tensor);
    }

    private Optional<Nested> of(String type) {
        return nested.stream().filter(each -> each.name().equals(type)).findFirst();
    }

    List<String> sources() {
        return nested.stream().map(Nested::source).toList();
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
        list().ifPresent(all::add);
        if (tensors) {
            all.add(TENSOR);
        }
        String type = all.get(random.nextInt(all.size()));
        boolean primitive = type.matches("[a-z]+");
        return Column.whole(name, type, nullable && !primitive, version);
    }

    /** A list of one of the nested records; nothing if there is none that could be in a list. */
    Optional<String> list() {
        List<String> records = nested.stream()
                .filter(each -> each.record() && each.bytes())
                .map(each -> "java.util.List<" + each.name() + ">")
                .toList();
        return records.isEmpty() ? Optional.empty() : Optional.of(records.get(random.nextInt(records.size())));
    }
}
