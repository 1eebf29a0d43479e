package io.psf.processor.model;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The type of a component of a tuple, or of a nested record. */
public sealed interface Type
        permits Scalar,
                Type.Enumeration,
                Type.Copied,
                Type.Flags,
                Type.Shared,
                Type.Tuple,
                Type.ListOf,
                Type.MapOf,
                Type.Nullable,
                Type.Bad {
    /**
     * Returns the type's text in the schema.
     *
     * @param version the version of the function's schema
     * @param base the version that added the value: components that a nested record had in that version are written in
     *     place
     */
    String schema(int version, int base);

    /** Returns the minimum size of a value in the block, in bytes. */
    int leastBytes();

    /** Returns the versions that added constants of an enum or components of a nested record. */
    default IntStream grown() {
        return IntStream.empty();
    }

    /**
     * Returns the versions whose sections have a part of a value.
     *
     * @param base the version that added the value
     */
    default IntStream sections(int base) {
        return IntStream.empty();
    }

    /**
     * An enum, written as the number of the constant.
     *
     * @param name the enum
     * @param constants the enum's constants in order
     * @param unknown the constant that represents constants of newer peers, if any
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
     * @param name the constant's name
     * @param since the schema version that added it, from 1
     */
    record Constant(String name, int since) {}

    /**
     * A Java array, encoded inline.
     *
     * @param of the type of the elements
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
     * A shared array, whose memory is passed to the transport without conversion.
     *
     * @param of the type of the elements
     * @param wire the format in which the elements travel
     */
    record Shared(Items of, WireFormat wire) implements Type {
        /** Creates the type of an array whose elements travel as they are. */
        public Shared(Items of) {
            this(of, WireFormat.OWN);
        }

        @Override
        public String schema(int version, int base) {
            return of.schema() + "[]"
                    + (wire == WireFormat.OWN ? "" : " as " + wire.name().toLowerCase(Locale.ROOT));
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
     * @param parts the record's components
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
     * @param name the component's name
     * @param type the component's type
     * @param since the schema version that added it, from 1
     */
    record Part(String name, Type type, int since) {
        /** True if the component is in the section of its version, and not in place with the record. */
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
     * @param of the type of the elements: nested records, scalars or enums
     */
    record ListOf(Type of) implements Type {
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
     * @param of the type of the values: scalars or enums
     */
    record MapOf(Type of) implements Type {
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
     * A nullable value: a byte says whether the value is present.
     *
     * @param of the type of a value that is not null
     * @param mark the annotation that marks the value as nullable, if it is a type annotation and can be written in a
     *     signature
     */
    record Nullable(Type of, Optional<ClassRef> mark) implements Type {
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
     * A type that no tuple can contain. A problem has been reported, and only a skeleton is generated.
     *
     * @param source the type as written in a signature; {@code Object} if it is not known
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

    /** The type of an array's elements. */
    enum Items {
        BYTE(Scalar.BYTE, "byte", "ByteArray"),
        INT(Scalar.INT, "int", "IntArray"),
        LONG(Scalar.LONG, "long", "LongArray"),
        FLOAT(Scalar.FLOAT, "float", "FloatArray"),
        DOUBLE(Scalar.DOUBLE, "double", "DoubleArray");

        private final Scalar scalar;
        private final String keyword;
        private final String shared;

        Items(Scalar scalar, String keyword, String shared) {
            this.scalar = scalar;
            this.keyword = keyword;
            this.shared = shared;
        }

        /** Returns the element type in the schema's text. */
        public String schema() {
            return scalar.text();
        }

        /** Returns the element type in words, for example {@code float32}. */
        public String words() {
            return switch (this) {
                case BYTE -> "int8";
                case INT -> "int32";
                case LONG -> "int64";
                case FLOAT -> "float32";
                case DOUBLE -> "float64";
            };
        }

        /** Returns the primitive type. */
        public String keyword() {
            return keyword;
        }

        /** Returns the simple name of the shared array. */
        public String shared() {
            return shared;
        }
    }
}
