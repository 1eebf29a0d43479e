package io.psf.api.spi;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The named arguments of an optimizer or an initializer, as texts. Each text is parsed as the parameter's type, so that
 * a number arrives with all its bits. Every method throws {@link IllegalArgumentException} if the text is none of the
 * type. Immutable.
 */
public final class Arguments {
    private final String of;
    private final Map<String, String> texts;

    private Arguments(String of, Map<String, String> texts) {
        this.of = of;
        this.texts = texts;
    }

    /**
     * Returns arguments, and checks that a constructor takes them.
     *
     * @param of the name of the optimizer or initializer, for messages
     * @param texts the arguments, by name
     * @param expected the names of the constructor's parameters
     * @throws IllegalArgumentException if an argument is missing or superfluous
     */
    public static Arguments of(String of, Map<String, String> texts, List<String> expected) {
        for (String name : texts.keySet()) {
            if (!expected.contains(name)) {
                throw new IllegalArgumentException("argument of " + of + ": \"" + name + "\" (expected: "
                        + (expected.isEmpty() ? "none" : String.join(", ", expected)) + ")");
            }
        }
        for (String name : expected) {
            if (!texts.containsKey(name)) {
                throw new IllegalArgumentException("argument \"" + name + "\" of " + of + ": missing (expected: "
                        + String.join(", ", expected) + ")");
            }
        }
        return new Arguments(of, Map.copyOf(texts));
    }

    /** Returns a float32. */
    public float float32(String name) {
        return (float) float64(name, "a float32");
    }

    /** Returns a float64. */
    public double float64(String name) {
        return float64(name, "a float64");
    }

    /** Returns an int32. */
    public int int32(String name) {
        long value = int64(name, "an int32");
        if (value != (int) value) {
            throw unfit(name, "an int32", null);
        }
        return (int) value;
    }

    /** Returns an int64. */
    public long int64(String name) {
        return int64(name, "an int64");
    }

    /** Returns a boolean. */
    public boolean flag(String name) {
        return switch (text(name)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw unfit(name, "true or false", null);
        };
    }

    /** Returns a text. */
    public String text(String name) {
        String text = texts.get(name);
        if (text == null) {
            throw new IllegalArgumentException("argument \"" + name + "\" of " + of + ": missing");
        }
        return text;
    }

    private double float64(String name, String expected) {
        try {
            return Double.parseDouble(text(name));
        } catch (NumberFormatException e) {
            throw unfit(name, expected, e);
        }
    }

    private long int64(String name, String expected) {
        String text = text(name);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw unfit(name, expected, e);
        }
    }

    private IllegalArgumentException unfit(String name, String expected, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "argument \"" + name + "\" of " + of + ": \"" + texts.get(name) + "\" (expected: " + expected + ")",
                cause);
    }
}
