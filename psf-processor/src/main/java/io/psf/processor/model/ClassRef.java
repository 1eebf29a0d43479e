package io.psf.processor.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The name of a class.
 *
 * @param packageName the package's name; empty for the unnamed package
 * @param simpleNames the simple names from the outermost class to the class itself
 */
public record ClassRef(String packageName, List<String> simpleNames) {
    public ClassRef {
        simpleNames = List.copyOf(simpleNames);
    }

    /**
     * Returns the simple names joined with {@code _}, from which the name of a class generated for a nested class is
     * derived.
     */
    public String joined() {
        return String.join("_", simpleNames);
    }

    /** Returns the simple name. */
    public String simpleName() {
        return simpleNames.get(simpleNames.size() - 1);
    }

    /** Returns the simple names joined with dots, as written in code in the package of the outermost class. */
    public String dotted() {
        return String.join(".", simpleNames);
    }

    /** Returns a class nested in this class. */
    public ClassRef nested(String name) {
        List<String> names = new ArrayList<>(simpleNames);
        names.add(name);
        return new ClassRef(packageName, names);
    }

    /** Returns a top-level class in the same package whose name is this class's joined name with a suffix. */
    public ClassRef beside(String suffix) {
        return new ClassRef(packageName, List.of(joined() + suffix));
    }

    /** Returns the binary name, as {@code Class.getName} does. */
    public String binary() {
        return (packageName.isEmpty() ? "" : packageName + ".") + String.join("$", simpleNames);
    }

    /** Returns the qualified name, which is also the binary name, of a top-level class. */
    public String qualified() {
        return packageName.isEmpty() ? dotted() : packageName + "." + dotted();
    }
}
