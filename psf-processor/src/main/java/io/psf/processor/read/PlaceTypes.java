package io.psf.processor.read;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.Shard;
import io.psf.api.spi.StoredNode;
import io.psf.processor.model.ClassRef;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/**
 * The types that the second parameter of {@code handle} may have: kinds of shards or of nodes.
 *
 * @param place where the function runs
 * @param elements finds the types
 * @param types compares the types
 */
record PlaceTypes(Place place, Elements elements, Types types) {
    private static final Set<String> NODES = Set.of(Node.class.getName(), StoredNode.class.getName());

    /** True if the method takes a node, as the method of a function that does not run on shards. */
    static boolean takesNode(ExecutableElement method) {
        return method.getParameters().stream().anyMatch(each -> isNode(each.asType()));
    }

    /** True if the type is a kind of shard or of node, at any place. */
    boolean isPlace(TypeMirror type) {
        return isShard(type) || isNode(type);
    }

    /** True if the type may be the second parameter's. */
    boolean takes(TypeMirror type) {
        return place == Place.SHARD ? isShard(type) : isNode(type);
    }

    /** True if every node has the type. */
    private static boolean isNode(TypeMirror type) {
        return type instanceof DeclaredType declared
                && declared.asElement() instanceof TypeElement element
                && NODES.contains(element.getQualifiedName().toString());
    }

    /**
     * True if the type is a kind of shard: {@code Shard}, or an interface that extends it and generated code can see.
     */
    private boolean isShard(TypeMirror type) {
        return type instanceof DeclaredType declared
                && declared.asElement() instanceof TypeElement element
                && element.getKind() == ElementKind.INTERFACE
                && element.getTypeParameters().isEmpty()
                && ClassNames.isVisibleBeside(element)
                && isSubtype(type, Shard.class);
    }

    /**
     * Returns the kind of shard that a checked method takes, its second parameter's type; empty if it takes every kind,
     * or a node.
     */
    static Optional<ClassRef> kindOfShard(ExecutableElement method) {
        return method.getParameters().stream()
                .skip(1)
                .map(VariableElement::asType)
                .filter(type -> type instanceof DeclaredType && !isNode(type))
                .map(type -> (TypeElement) ((DeclaredType) type).asElement())
                .filter(element -> !element.getQualifiedName().contentEquals(Shard.class.getName()))
                .map(ClassNames::of)
                .findFirst();
    }

    /** Returns the signature of {@code handle}, for messages. */
    String signature() {
        return "Response handle(Request, " + (place == Place.SHARD ? "Shard or an interface that extends it" : "Node")
                + ") at = " + place;
    }

    boolean isSubtype(TypeMirror type, Class<?> of) {
        TypeElement element = elements.getTypeElement(of.getName());
        return element != null && types.isSubtype(type, element.asType());
    }
}
