package io.psf.processor.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The name of a class.
 *
 * @param packageName empty for the unnamed package
 * @param simpleNames the simple names from the outermost class to the class itself
 */
public record ClassRef(String packageName, List<String> simpleNames) {
    public ClassRef {
        simpleNames = List.copyOf(simpleNames);
    }

    /** The simple names joined with {@code _}: how a generated class is named after a nested one. */
    public String joined() {
        return String.join("_", simpleNames);
    }

    /** The simple name. */
    public String simpleName() {
        return simpleNames.get(simpleNames.size() - 1);
    }

    /** The simple names joined with dots, as code beside the outermost class writes it. */
    public String dotted() {
        return String.join(".", simpleNames);
    }

    /** A class nested in this one. */
    public ClassRef nested(String name) {
        List<String> names = new ArrayList<>(simpleNames);
        names.add(name);
        return new ClassRef(packageName, names);
    }

    /** A top-level class in the same package, named after this one. */
    public ClassRef beside(String suffix) {
        return new ClassRef(packageName, List.of(joined() + suffix));
    }

    /** The binary name, as {@code Class.getName} gives it. */
    public String binary() {
        return (packageName.isEmpty() ? "" : packageName + ".") + String.join("$", simpleNames);
    }

    /** The binary name of a top-level class, its qualified name. */
    public String qualified() {
        return packageName.isEmpty() ? dotted() : packageName + "." + dotted();
    }
}
