package io.tenfold.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs a contract against a subject that is broken on purpose, and tells which of its tests noticed. A contract that no
 * canary has ever failed proves nothing.
 */
public final class Canary {
    private Canary() {}

    /**
     * Runs each {@link Test} method of a contract on a fresh instance, with its {@link BeforeEach} and {@link AfterEach}
     * methods, on the calling thread.
     *
     * @param contract makes an instance of the contract with a broken subject
     * @return the names of the tests that failed, in no order
     */
    public static List<String> failures(Supplier<?> contract) {
        List<String> failed = new ArrayList<>();
        for (Method test : methods(contract.get(), Test.class)) {
            if (fails(contract, test)) {
                failed.add(test.getName());
            }
        }
        return failed;
    }

    /**
     * Runs one test of a contract in the same way.
     *
     * @param name of the test's method
     * @return whether it failed
     */
    public static boolean fails(Supplier<?> contract, String name) {
        for (Method test : methods(contract.get(), Test.class)) {
            if (test.getName().equals(name)) {
                return fails(contract, test);
            }
        }
        throw new IllegalArgumentException("the contract has no such test: name=" + name);
    }

    private static boolean fails(Supplier<?> contract, Method test) {
        Object instance = contract.get();
        try {
            for (Method before : methods(instance, BeforeEach.class)) {
                before.invoke(instance);
            }
            test.invoke(instance);
            return false;
        } catch (InvocationTargetException _) {
            return true;
        } catch (IllegalAccessException e) {
            throw new AssertionError("a contract's methods must be open to this: method=" + test, e);
        } finally {
            cleanUp(instance);
        }
    }

    private static void cleanUp(Object instance) {
        for (Method after : methods(instance, AfterEach.class)) {
            try {
                after.invoke(instance);
            } catch (ReflectiveOperationException _) {
                // The subject is broken: that it cannot be closed in order is no news.
            }
        }
    }

    private static List<Method> methods(Object instance, Class<? extends java.lang.annotation.Annotation> kind) {
        List<Method> found = new ArrayList<>();
        for (Class<?> c = instance.getClass(); c != Object.class; c = c.getSuperclass()) {
            for (Method m : c.getDeclaredMethods()) {
                if (m.isAnnotationPresent(kind)) {
                    m.setAccessible(true);
                    found.add(m);
                }
            }
        }
        return found;
    }
}
