package io.github.gramian.check;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Skips a test, or all tests of a class, if one of these tools is not installed. The build ends with one line that counts
 * such tests and names the packages.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(InstalledCondition.class)
public @interface Needs {

    /** How the reason of such a skip starts; the names of the missing packages follow. */
    String REASON = "not installed: ";

    Tool[] value();
}
