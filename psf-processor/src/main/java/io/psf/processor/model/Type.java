package io.psf.processor.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a component of a tuple, or of a record in it, holds. */
public sealed interface Type
        permits Scalar, Type.Enumeration, Type.Copied, Type.Shared, Type.Tuple, Type.Many, Type.Maybe, Type.Bad {
    /** The type in the schema's text. */
    String schema();

    /** The least bytes that it takes in the block. */
    int leastBytes();

    /**
     * An enum, written as the number of the constant.
     *
     * @param name the enum
     * @param constants its constants in their order
     */
    record Enumeration(ClassRef name, List<String> constants) implements Type {
        public Enumeration {
            constants = List.copyOf(constants);
        }

        @Override
        public String schema() {
            return "enum(" + String.join("|", constants) + ")";
        }

        @Override
        public int leastBytes() {
            return 4;
        }
    }

    /**
     * A Java array, encoded inline.
     *
     * @param of its elements
     */
    record Copied(Items of) implements Type {
        @Override
        public String schema() {
            return "copied " + of.schema() + "[]";
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
        public String schema() {
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
        public String schema() {
            return parts.stream()
                    .map(part -> part.name() + ":" + part.type().schema())
                    .collect(Collectors.joining(", ", "{", "}"));
        }

        @Override
        public int leastBytes() {
            return parts.stream().mapToInt(part -> part.type().leastBytes()).sum();
        }
    }

    /**
     * A component of a nested record.
     *
     * @param name its name
     * @param type its type
     */
    record Part(String name, Type type) {}

    /**
     * A list of nested records.
     *
     * @param of the record
     */
    record Many(Tuple of) implements Type {
        @Override
        public String schema() {
            return "list of " + of.schema();
        }

        @Override
        public int leastBytes() {
            return 4;
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
        public String schema() {
            return of.schema() + "?";
        }

        @Override
        public int leastBytes() {
            return 1;
        }
    }

    /**
     * A type that no tuple can hold; a problem has been reported, and only a skeleton is written.
     *
     * @param source how it stands in a signature; {@code Object} if it is not known
     */
    record Bad(String source) implements Type {
        @Override
        public String schema() {
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
            return scalar.schema();
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
