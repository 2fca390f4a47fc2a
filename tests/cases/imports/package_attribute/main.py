import package

package.sub.work()
