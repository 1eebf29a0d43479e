package io.psf.processor.read;

import io.psf.processor.model.Scalar;
import java.util.Map;

/** The types that messages suggest instead of a type that no tuple can contain. */
final class TypeAdvice {
    /** The permitted lists. */
    static final String LIST = "a List of a record, an enum, String, TensorId or boxed scalars";
    /** The permitted maps. */
    static final String MAP = "a Map of String to an enum, String, TensorId or boxed scalars";

    /** The scalars by the names of their types in lists and maps. */
    static final Map<String, Scalar> BOXED = Map.of(
            "java.lang.Boolean", Scalar.BOOLEAN,
            "java.lang.Byte", Scalar.BYTE,
            "java.lang.Short", Scalar.SHORT,
            "java.lang.Integer", Scalar.INT,
            "java.lang.Long", Scalar.LONG,
            "java.lang.Float", Scalar.FLOAT,
            "java.lang.Double", Scalar.DOUBLE);

    private TypeAdvice() {}

    static String expectedFor(String name) {
        return switch (name) {
            case "java.lang.Float" -> "float";
            case "java.lang.Double" -> "double";
            case "java.lang.Integer" -> "int";
            case "java.lang.Long" -> "long";
            case "java.lang.Byte" -> "byte";
            case "java.lang.Short" -> "short";
            case "java.lang.Boolean" -> "boolean";
            case "java.lang.Character", "java.lang.CharSequence" -> "a String";
            case "java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap" -> MAP;
            case "java.util.Collection", "java.util.Set", "java.util.ArrayList", "java.lang.Iterable" ->
                LIST + ", or an array";
            case "java.time.Duration", "java.time.Instant" -> "a long";
            case "java.nio.ByteBuffer" -> "a ByteArray or a byte[]";
            case "java.nio.FloatBuffer" -> "a FloatArray or a float[]";
            default -> "a scalar, an enum, a String, a TensorId, an array or a record of these";
        };
    }

    static String hintFor(String name) {
        return switch (name) {
            case "java.time.Duration", "java.time.Instant" -> "Say the unit in its name, as in \"limitMillis\".";
            case "java.util.Optional" -> "Use @Nullable.";
            default -> BOXED.containsKey(name) ? "A scalar is never null." : "";
        };
    }
}
