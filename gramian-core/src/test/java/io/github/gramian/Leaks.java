package io.github.gramian;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds public and protected members of types for users that mention a type of an {@code internal} package. Supertypes, type
 * parameters, type arguments and thrown exceptions count; components of records are found by their accessors.
 */
public final class Leaks {

    private static final String ROOT = "io.github.gramian.";
    private static final String INTERNAL = ".internal";

    private Leaks() {}

    /** One line per leak: {@code package.Type.member(ParameterTypes) -> InternalType}. */
    public static Set<String> in(JavaClasses classes) {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : classes) {
            if (isForUsers(type)) {
                declared(type, found);
                hiddenSuperclasses(type).forEach(hidden -> declared(hidden, found));
            }
        }
        return found;
    }

    /** Users see the visible members of a package-private superclass through its public subclasses. */
    private static Stream<JavaClass> hiddenSuperclasses(JavaClass type) {
        return type.getAllRawSuperclasses().stream()
                .filter(ancestor -> ancestor.getPackageName().startsWith(ROOT) && !isForUsers(ancestor))
                .filter(ancestor -> !isInternal(ancestor));
    }

    private static void declared(JavaClass type, Set<String> found) {
        note(found, type.getName(), ofDeclaration(type));
        type.getMembers().stream().filter(Leaks::isVisible).forEach(member -> note(found, name(member), types(member)));
    }

    private static boolean isForUsers(JavaClass type) {
        return !isInternal(type)
                && isVisible(type.getModifiers())
                && type.getEnclosingClass().map(Leaks::isForUsers).orElse(true);
    }

    private static boolean isInternal(JavaClass type) {
        String name = type.getPackageName();
        return name.startsWith(ROOT) && (name.endsWith(INTERNAL) || name.contains(INTERNAL + "."));
    }

    private static boolean isVisible(JavaMember member) {
        return isVisible(member.getModifiers()) && !member.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    private static void note(Set<String> found, String name, Stream<JavaClass> mentioned) {
        String internal = mentioned
                .map(JavaClass::getBaseComponentType)
                .filter(Leaks::isInternal)
                .map(JavaClass::getSimpleName)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        if (!internal.isEmpty()) {
            found.add(name.substring(ROOT.length()) + " -> " + internal);
        }
    }

    /** The types that a declaration mentions after the name: type parameters, superclass, interfaces. */
    private static Stream<JavaClass> ofDeclaration(JavaClass type) {
        List<JavaType> mentioned = new ArrayList<>(type.getInterfaces());
        type.getSuperclass().ifPresent(mentioned::add);
        return Stream.concat(raw(mentioned), bounds(type.getTypeParameters()));
    }

    private static Stream<JavaClass> types(JavaMember member) {
        Stream<JavaClass> mentioned = member.getAllInvolvedRawTypes().stream();
        if (member instanceof JavaCodeUnit unit) {
            return Stream.concat(
                    mentioned, Stream.concat(unit.getExceptionTypes().stream(), bounds(unit.getTypeParameters())));
        }
        return mentioned;
    }

    private static Stream<JavaClass> bounds(List<? extends JavaTypeVariable<?>> variables) {
        return variables.stream().flatMap(variable -> raw(variable.getUpperBounds()));
    }

    private static Stream<JavaClass> raw(List<? extends JavaType> types) {
        return types.stream().flatMap(type -> type.getAllInvolvedRawTypes().stream());
    }

    private static String name(JavaMember member) {
        String name = member.getOwner().getName() + "." + member.getName();
        return member instanceof JavaCodeUnit unit
                ? unit.getRawParameterTypes().stream()
                        .map(JavaClass::getSimpleName)
                        .collect(Collectors.joining(", ", name + "(", ")"))
                : name;
    }
}
