package io.psf.processor.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a component of a tuple, or of a record in it, holds. */
public sealed interface Type
        permits Scalar,
                Type.Enumeration,
                Type.Copied,
                Type.Flags,
                Type.Shared,
                Type.Tuple,
                Type.Many,
                Type.Mapping,
                Type.Maybe,
                Type.Bad {
    /**
     * The type in the schema's text.
     *
     * @param version of the function's schema
     * @param base the version that brought the value: what is in a nested record since then is written in its place
     */
    String schema(int version, int base);

    /** The least bytes that it takes in the block. */
    int leastBytes();

    /** The versions that brought constants of an enum or components of a nested record. */
    default IntStream grown() {
        return IntStream.empty();
    }

    /**
     * The versions whose sections have something of a value.
     *
     * @param base the version that brought the value
     */
    default IntStream sections(int base) {
        return IntStream.empty();
    }

    /**
     * An enum, written as the number of the constant.
     *
     * @param name the enum
     * @param constants its constants in their order
     * @param unknown the constant that stands for those of newer peers, if any
     */
    record Enumeration(ClassRef name, List<Constant> constants, Optional<String> unknown) implements Type {
        public Enumeration {
            constants = List.copyOf(constants);
        }

        @Override
        public String schema(int version, int base) {
            return constants.stream()
                    .filter(each -> each.since() <= version)
                    .map(Constant::name)
                    .collect(Collectors.joining("|", "enum(", ")"));
        }

        @Override
        public int leastBytes() {
            return 4;
        }

        @Override
        public IntStream grown() {
            return constants.stream().mapToInt(Constant::since);
        }
    }

    /**
     * A constant of an enum.
     *
     * @param name its name
     * @param since the schema version that brought it, from 1
     */
    record Constant(String name, int since) {}

    /**
     * A Java array, encoded inline.
     *
     * @param of its elements
     */
    record Copied(Items of) implements Type {
        @Override
        public String schema(int version, int base) {
            return "copied " + of.schema() + "[]";
        }

        @Override
        public int leastBytes() {
            return 4;
        }
    }

    /** A {@code boolean[]}, encoded inline. */
    record Flags() implements Type {
        @Override
        public String schema(int version, int base) {
            return "copied bool[]";
        }

        @Override
        public int leastBytes() {
            return 4;
        }
    }

    /**
     * An array whose memory goes to the transport as it is.
     *
     * @param of its elements
     */
    record Shared(Items of) implements Type {
        @Override
        public String schema(int version, int base) {
            return of.schema() + "[]";
        }

        @Override
        public int leastBytes() {
            return 0;
        }
    }

    /**
     * A nested record.
     *
     * @param name the record
     * @param parts its components
     */
    record Tuple(ClassRef name, List<Part> parts) implements Type {
        public Tuple {
            parts = List.copyOf(parts);
        }

        @Override
        public String schema(int version, int base) {
            return parts.stream()
                    .filter(part -> part.since() <= version)
                    .map(part -> part.schema(version, base))
                    .collect(Collectors.joining(", ", "{", "}"));
        }

        @Override
        public int leastBytes() {
            return parts.stream()
                    .filter(part -> part.since() == 1)
                    .mapToInt(part -> part.type().leastBytes())
                    .sum();
        }

        @Override
        public IntStream grown() {
            return parts.stream()
                    .flatMapToInt(part -> IntStream.concat(
                            IntStream.of(part.since()), part.type().grown()));
        }

        @Override
        public IntStream sections(int base) {
            return parts.stream().flatMapToInt(part -> part.sections(base));
        }
    }

    /**
     * A component of a nested record.
     *
     * @param name its name
     * @param type its type
     * @param since the schema version that brought it, from 1
     */
    record Part(String name, Type type, int since) {
        /** Whether it stands in the section of its version, and not where the record stands. */
        public boolean isLater(int base) {
            return since > base;
        }

        private String schema(int version, int base) {
            return name + ":" + type.schema(version, Math.max(base, since)) + (isLater(base) ? " since " + since : "");
        }

        private IntStream sections(int base) {
            IntStream within = type.sections(Math.max(base, since));
            return isLater(base) ? IntStream.concat(IntStream.of(since), within) : within;
        }
    }

    /**
     * A list.
     *
     * @param of its elements: nested records, scalars or enums
     */
    record Many(Type of) implements Type {
        @Override
        public String schema(int version, int base) {
            return "list of " + of.schema(version, base);
        }

        @Override
        public int leastBytes() {
            return 4;
        }

        @Override
        public IntStream grown() {
            return of.grown();
        }

        @Override
        public IntStream sections(int base) {
            return of.sections(base);
        }
    }

    /**
     * A map with strings as keys.
     *
     * @param of its values: scalars or enums
     */
    record Mapping(Type of) implements Type {
        @Override
        public String schema(int version, int base) {
            return "map of string to " + of.schema(version, base);
        }

        @Override
        public int leastBytes() {
            return 4;
        }

        @Override
        public IntStream grown() {
            return of.grown();
        }
    }

    /**
     * What may be null: a byte says whether it is there.
     *
     * @param of what it is if it is not null
     * @param mark the annotation that says so, if it is one of types and can stand in a signature
     */
    record Maybe(Type of, Optional<ClassRef> mark) implements Type {
        @Override
        public String schema(int version, int base) {
            return of.schema(version, base) + "?";
        }

        @Override
        public int leastBytes() {
            return 1;
        }

        @Override
        public IntStream grown() {
            return of.grown();
        }

        @Override
        public IntStream sections(int base) {
            return of.sections(base);
        }
    }

    /**
     * A type that no tuple can hold; a problem has been reported, and only a skeleton is written.
     *
     * @param source how it stands in a signature; {@code Object} if it is not known
     */
    record Bad(String source) implements Type {
        @Override
        public String schema(int version, int base) {
            return source;
        }

        @Override
        public int leastBytes() {
            return 0;
        }
    }

    /** What the elements of an array are. */
    enum Items {
        BYTE(Scalar.BYTE, "byte", "ByteArray", "bytes"),
        INT(Scalar.INT, "int", "IntArray", "ints"),
        LONG(Scalar.LONG, "long", "LongArray", "longs"),
        FLOAT(Scalar.FLOAT, "float", "FloatArray", "floats"),
        DOUBLE(Scalar.DOUBLE, "double", "DoubleArray", "doubles");

        private final Scalar scalar;
        private final String keyword;
        private final String shared;
        private final String copiedMethod;

        Items(Scalar scalar, String keyword, String shared, String copiedMethod) {
            this.scalar = scalar;
            this.keyword = keyword;
            this.shared = shared;
            this.copiedMethod = copiedMethod;
        }

        /** The element in the schema's text. */
        public String schema() {
            return scalar.text();
        }

        /** The element in words, for example {@code float32}. */
        public String words() {
            return switch (this) {
                case BYTE -> "int8";
                case INT -> "int32";
                case LONG -> "int64";
                case FLOAT -> "float32";
                case DOUBLE -> "float64";
            };
        }

        /** The primitive type. */
        public String keyword() {
            return keyword;
        }

        /** The simple name of the shared array. */
        public String shared() {
            return shared;
        }

        /** The reader's method for a shared array. */
        public String sharedMethod() {
            return Character.toLowerCase(shared.charAt(0)) + shared.substring(1);
        }

        /** The reader's and the writer's method for a copied array. */
        public String copiedMethod() {
            return copiedMethod;
        }
    }
}
