import package.tools as t
import package.more

t.hammer()
package.more.saw()
